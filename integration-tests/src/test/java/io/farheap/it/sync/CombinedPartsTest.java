package io.farheap.it.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.LosingDisk;
import io.farheap.tools.InProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code farheap sync} puts parts of two replicas together and ends at its system calls: every part
 * that was there is there as it was, no half one passes for whole, and the same command makes the
 * pool whole.
 */
@Tag("deep")
@Timeout(900)
class CombinedPartsTest {
    private static final int EVERY = 25;
    private static final int AROUND = 8;
    private static final long SEED = 20261127;
    private static final int PAGE = 4096;
    private static final int OBJECTS = 20;
    private static final int OBJECT_BYTES = 200_000;
    private static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();

    /** What replicas lost. */
    private enum Loss {
        /** Common bytes place the last part of the first one. */
        OF_TWO("4M @a\n3M @b\n3M @c\nREPLICA\n3M @d\n5M @e\n2M @f\n", "b", "f"),
        /** Nothing does, and another one has its bytes: where it comes back first, too. */
        OF_THREE("5M @a\n3M @b\n3M @c\nREPLICA\n2M @d\n2M @e\n5M @f\n2M @g\n", "b", "c", "e");

        private final String lines;
        private final List<String> parts;
        private final List<String> lost;

        Loss(String lines, String... lost) {
            this.lines = lines;
            this.parts =
                    Pattern.compile("@(.)").matcher(lines).results().map(m -> m.group(1)).toList();
            this.lost = List.of(lost);
        }
    }

    /** What comes after the last call that is made. */
    private enum End {
        OF_THE_PROCESS,
        OF_POWER
    }

    @TempDir private Path dir;
    private Path set;
    private Loss loss;
    private Map<String, byte[]> sound;
    private Map<Path, byte[]> found;

    private void lose(Loss what) throws IOException {
        loss = what;
        set = dir.resolve("r.set");
        Files.writeString(set, "PMEMPOOLSET\n" + loss.lines.replace("@", dir + "/"));
        try (ObjectPool pool = ObjectPool.at(set).layout("x").options(PAGES).create()) {
            for (int i = 0; i < OBJECTS; i++) {
                long number = i;
                pool.transaction(
                        tx -> {
                            Ref object = tx.allocate(OBJECT_BYTES, 7);
                            for (int at = 0; at < OBJECT_BYTES; at += 400) {
                                tx.setLong(object, at, number << 32 | at);
                            }
                            tx.setRef(pool.root(16L * OBJECTS), 16 * number, object);
                        });
            }
        }
        sound = bytes();
        for (String lost : loss.lost) {
            Files.delete(dir.resolve(lost));
        }
        found = LosingDisk.read(dir);
    }

    /** Of the parts; an empty file only holds the place of one. */
    private Map<String, byte[]> bytes() throws IOException {
        Map<String, byte[]> all = new TreeMap<>();
        for (String part : loss.parts) {
            Path file = dir.resolve(part);
            if (Files.exists(file) && Files.size(file) > 0) {
                all.put(part, Files.readAllBytes(file));
            }
        }
        return all;
    }

    private String sync() {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said, true);
        int code = InProcess.farheap(out, out, "sync", set.toString());
        return code == 0 ? "" : code + ": " + said;
    }

    @ParameterizedTest
    @CsvSource({
        "OF_TWO, OF_THE_PROCESS",
        "OF_TWO, OF_POWER",
        "OF_THREE, OF_THE_PROCESS",
        "OF_THREE, OF_POWER"
    })
    void endsAtASystemCall(Loss what, End end) throws IOException {
        lose(what);
        long calls;
        try (FailingCalls disk = FailingCalls.under(dir)) {
            assertThat(sync()).isEmpty();
            calls = disk.count();
        }
        requireWhole("uncut");
        long renames = callsBeforeRenames();
        Set<Integer> seen = new TreeSet<>();
        for (long call = 1; call <= calls; call++) {
            if (call % EVERY == 0 || Math.abs(renames - call) < AROUND) {
                LosingDisk.write(dir, found);
                String at = end + " at call " + call + " of " + calls;
                boolean cut = endAt(call, end);
                requireNoWorse(at);
                if (cut) {
                    seen.add(bytes().size());
                }
                assertThat(sync()).as(at).isEmpty();
                requireWhole(at);
            }
        }
        assertThat(seen).contains(loss.parts.size() - loss.lost.size());
        if (end == End.OF_THE_PROCESS) {
            assertThat(seen).as("one part is in its place").contains(loss.parts.size() - 1);
        }
    }

    /** About so many: what cleans up after the first one failed comes after it. */
    private long callsBeforeRenames() {
        LosingDisk.write(dir, found);
        try (FailingCalls disk = FailingCalls.under(dir)) {
            disk.failAll(FailingCalls.Call.RENAME, FailingCalls.EIO);
            assertThat(sync()).isNotEmpty();
            return disk.count();
        }
    }

    private boolean endAt(long call, End end) {
        Map<Path, byte[]> left;
        boolean failed;
        try (LosingDisk losing = LosingDisk.under(dir);
                FailingCalls disk = FailingCalls.under(dir)) {
            disk.failAllFrom(call, FailingCalls.EIO);
            failed = !sync().isEmpty();
            boolean power = end == End.OF_POWER;
            left = power ? losing.losePower(new Random(SEED + call)) : LosingDisk.read(dir);
            disk.endProcess();
        }
        LosingDisk.write(dir, left); // as files of their own, which nobody has open
        return failed;
    }

    /** What was there is as it was; what is there now in a part's place is whole. */
    private void requireNoWorse(String what) throws IOException {
        Map<String, byte[]> now = bytes();
        for (String part : loss.parts) {
            if (!loss.lost.contains(part)) {
                assertThat(now.get(part)).as(part + ", " + what).isEqualTo(sound.get(part));
            } else if (now.containsKey(part)) {
                requireContentOf(part, now.get(part), what);
            }
        }
    }

    private void requireContentOf(String part, byte[] now, String what) {
        byte[] was = sound.get(part);
        assertThat(Arrays.equals(was, PAGE, was.length, now, PAGE, now.length))
                .as(part + " has its content, " + what)
                .isTrue();
    }

    private void requireWhole(String what) throws IOException {
        requireNoWorse(what);
        assertThat(bytes().keySet()).as(what).containsExactlyElementsOf(loss.parts);
        assertThat(dir.toFile().list()).as(what).noneMatch(file -> file.contains("farheap-resto"));
        try (ObjectPool pool = ObjectPool.at(set).layout("x").options(PAGES).open()) {
            for (long i = 0; i < OBJECTS; i++) {
                Ref object = pool.getRef(pool.root(16L * OBJECTS), 16 * i);
                for (int at = 0; at < OBJECT_BYTES; at += 400) {
                    assertThat(pool.getLong(object, at)).as(what).isEqualTo(i << 32 | at);
                }
            }
        }
    }
}
