package io.farheap.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.MutantHunt;
import io.farheap.memory.PoolMemory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Leaves out each flush, fence and checksum comparison of the product, one after the other, and
 * shows that a test fails each time: {@code mvn verify -Pmutation -pl objstore -am}. With {@code
 * -Dmutation.write=true} it writes the table of {@code docs/mutations.md}; with {@code
 * -Dmutation.only=REGEX} it does the sites in whose name that is found.
 */
@Tag("mutation")
@Tag("long")
class MutationTest {
    static final Path TABLE = Path.of("../docs/mutations.md");

    private static final long MOST_MINUTES = 15;
    private static final List<String> TESTS =
            List.of(
                    "io.farheap.ulog.LogCrashTest",
                    "io.farheap.TransactionCrashTest",
                    "io.farheap.heap.HeapCrashTest",
                    "io.farheap.MirroredCrashTest",
                    "io.farheap.DroppedStepTest");
    private static final List<String> TESTS_OF_CHECKS =
            List.of(
                    "io.farheap.ulog.LogCrashTest",
                    "io.farheap.TransactionCrashTest",
                    "io.farheap.DamagedPoolTest",
                    "io.farheap.heap.HeapFormatTest",
                    "io.farheap.pool.GoldenHeadersTest");

    /** What the states of open pools don't reach, and the test that does. */
    private static final Map<String, String> TESTS_OF_PLACES =
            Map.of(
                    "MemoryOperations.", "io.farheap.MemoryOperationsTest",
                    "PlainStore.", "io.farheap.MemoryOperationsTest",
                    "(ObjectPool|HeapMetadata).", "io.farheap.MirroredCrashTest",
                    "(RedoLog|UndoLog|LogChain).", "io.farheap.ulog.LogCrashTest",
                    "MirroredPersistence.", "io.farheap.MirroredCrashTest",
                    "Descriptor.", "io.farheap.TransactionCrashTest",
                    "LaneLayout.", "io.farheap.TransactionCrashTest",
                    "HeapFormat.", "io.farheap.TransactionCrashTest",
                    "LaneRecovery.", "io.farheap.ulog.LogCrashTest",
                    "LogReader.", "io.farheap.ulog.LogCrashTest");

    static Path classes() throws Exception {
        return Path.of(
                PoolMemory.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    void withNothingLeftOutNothingFails() throws Exception {
        List<String> tests = new ArrayList<>(TESTS);
        tests.addAll(TESTS_OF_CHECKS);
        assertThat(MutantHunt.hunt(List.of(), true, tests)).isNull();
        for (String test : TESTS_OF_PLACES.values()) {
            assertThat(MutantHunt.hunt(List.of(test), false, List.of())).isNull();
        }
    }

    @Test
    void eachFlushFenceAndChecksumIsMissed() throws Exception {
        Pattern only = Pattern.compile(System.getProperty("mutation.only", ""));
        List<String> rows = new ArrayList<>();
        List<String> survivors = new ArrayList<>();
        for (CallSite site : CallSite.all(classes())) {
            if (only.matcher(site.name()).find()) {
                String found = huntIn(site);
                String row = MutationTable.row(site, found == null ? "nothing" : found);
                System.out.println(row);
                rows.add(row);
                if (found == null) {
                    survivors.add(row);
                }
            }
        }
        if (Boolean.getBoolean("mutation.write")) {
            Path unused = Files.writeString(TABLE, MutationTable.document(rows));
        }
        assertThat(rows).isNotEmpty();
        assertThat(survivors).isEmpty();
    }

    /** What fails without the site; null if nothing does. */
    private static String huntIn(CallSite site) throws Exception {
        boolean check = site.number() == 0;
        List<String> first =
                TESTS_OF_PLACES.entrySet().stream()
                        .filter(place -> !check && site.name().matches(place.getKey() + ".*"))
                        .map(Map.Entry::getValue)
                        .toList();
        Class<?> hunt = Class.forName("io.farheap.MutantHunt", true, new Mutant(site));
        FutureTask<String> task =
                new FutureTask<>(
                        () ->
                                (String)
                                        hunt.getMethod(
                                                        "hunt",
                                                        List.class,
                                                        boolean.class,
                                                        List.class)
                                                .invoke(
                                                        null,
                                                        first,
                                                        !check,
                                                        check ? TESTS_OF_CHECKS : TESTS));
        Thread thread = Thread.ofPlatform().daemon().start(task);
        try {
            return task.get(MOST_MINUTES, TimeUnit.MINUTES);
        } catch (TimeoutException e) {
            thread.interrupt();
            return "no end in " + MOST_MINUTES + " minutes";
        } catch (ExecutionException e) {
            throw new AssertionError(site.name(), e);
        }
    }
}
