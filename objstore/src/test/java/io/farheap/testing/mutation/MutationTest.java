package io.farheap.testing.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.PoolMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
 * -Dmutation.only=REGEX} it does the sites in whose row that is found, and leaves the other rows as
 * they are; with {@code -Dmutation.trace=true} it says why the tests fail.
 */
@Tag("mutation")
@Tag("long")
class MutationTest {
    static final Path TABLE = Path.of("../docs/mutations.md");

    private static final long MOST_MINUTES = 15;

    static Path classes() throws Exception {
        return Path.of(
                PoolMemory.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    void withNothingLeftOutNothingFails() throws Exception {
        Pattern only = Pattern.compile(System.getProperty("mutation.only", ""));
        List<String> tests = HuntOrder.all();
        tests.removeIf(test -> !only.matcher(test).find());
        assertThat(hunt(new Mutant(null), tests)).isNull();
    }

    @Test
    void eachFlushFenceAndChecksumIsMissed() throws Exception {
        Pattern only = Pattern.compile(System.getProperty("mutation.only", ""));
        Map<CallSite, String> found = new LinkedHashMap<>();
        List<String> survivors = new ArrayList<>();
        List<CallSite> sites = CallSite.all(classes());
        for (CallSite site : sites) {
            if (only.matcher(MutationTable.start(site)).find()) {
                long start = System.nanoTime();
                String failed = hunt(new Mutant(site), HuntOrder.of(site));
                String row = MutationTable.row(site, failed);
                System.out.printf("%s %d s%n", row, (System.nanoTime() - start) / 1_000_000_000);
                found.put(site, row);
                if (Boolean.getBoolean("mutation.write")) {
                    MutationTable.write(TABLE, sites, found); // at once: it takes long
                }
                if (failed == null) {
                    survivors.add(row);
                }
            }
        }
        assertThat(found).as("places that -Dmutation.only names").isNotEmpty();
        assertThat(survivors).isEmpty();
    }

    /** What fails on the mutant; null if nothing does. */
    private static String hunt(Mutant mutant, List<String> tests) throws Exception {
        Class<?> hunt = Class.forName("io.farheap.MutantHunt", true, mutant);
        FutureTask<String> task =
                new FutureTask<>(
                        () -> (String) hunt.getMethod("hunt", List.class).invoke(null, tests));
        Thread thread = Thread.ofPlatform().daemon().start(task);
        try {
            return task.get(MOST_MINUTES, TimeUnit.MINUTES);
        } catch (TimeoutException e) {
            thread.interrupt();
            return "no end in " + MOST_MINUTES + " minutes";
        } catch (ExecutionException e) {
            throw new AssertionError(tests.toString(), e);
        }
    }
}
