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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code farheap sync} puts parts of two replicas together and ends at each of its system calls:
 * every part that was there is there as it was, no half one passes for whole, and the same command
 * makes the pool whole.
 */
@Tag("sliced")
@Timeout(900)
class CombinedPartsTest {
    private static final int EVERY = Boolean.getBoolean("test.deep") ? 1 : 101;
    private static final int AROUND = 16;
    private static final long SEED = 20261127;
    private static final int PAGE = 4096;
    private static final int OBJECTS = 20;
    private static final int OBJECT_BYTES = 200_000;
    private static final List<String> PARTS = List.of("a", "b", "c", "d", "e", "f");
    private static final List<String> LOST = List.of("b", "f");
    private static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();

    /** What comes after the last call that is made. */
    private enum End {
        OF_THE_PROCESS,
        OF_POWER
    }

    @TempDir private Path dir;
    private Path set;
    private Map<String, byte[]> sound;
    private Map<Path, byte[]> found;

    @BeforeEach
    void eachReplicaLostAPart() throws IOException {
        set = dir.resolve("r.set");
        String lines = "PMEMPOOLSET\n4M @a\n3M @b\n3M @c\nREPLICA\n3M @d\n5M @e\n2M @f\n";
        Files.writeString(set, lines.replace("@", dir + "/"));
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
        for (String lost : LOST) {
            Files.delete(dir.resolve(lost));
        }
        found = LosingDisk.read(dir);
    }

    private Map<String, byte[]> bytes() throws IOException {
        Map<String, byte[]> all = new TreeMap<>();
        for (String part : PARTS) {
            if (Files.exists(dir.resolve(part))) {
                all.put(part, Files.readAllBytes(dir.resolve(part)));
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
    @EnumSource
    void endsAtEachSystemCall(End end) throws IOException {
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
                String what = end + " at call " + call + " of " + calls;
                boolean cut = endAt(call, end);
                requireNoWorse(what);
                if (cut) {
                    seen.add(bytes().size());
                }
                assertThat(sync()).as(what).isEmpty();
                requireWhole(what);
            }
        }
        assertThat(seen).contains(PARTS.size() - LOST.size());
        if (end == End.OF_THE_PROCESS) {
            assertThat(seen).as("one part is in its place").contains(PARTS.size() - 1);
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
        for (String part : PARTS) {
            if (!LOST.contains(part)) {
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
        assertThat(bytes().keySet()).as(what).containsExactlyElementsOf(PARTS);
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
