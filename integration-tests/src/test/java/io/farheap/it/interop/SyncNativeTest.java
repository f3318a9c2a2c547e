package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code farheap sync} beside {@code pmempool sync} on copies of the same pool: what that one
 * restores this one does, with the same objects and uuids, and what it spoils or overlooks is
 * refused here.
 */
class SyncNativeTest {
    private static final String LINES = "8M @/a\n8M @/b\nREPLICA\n8M @/c\n8M @/d";
    private static final String HEALTHY = "all is healthy";
    private static final int PAGE = 4096;

    /** Of the first chunk of the first zone. */
    private static final int CHUNK_HEADER = (int) Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 64;

    @TempDir private Path directory;

    private interface Damage {
        void in(Path directory) throws IOException;
    }

    @BeforeEach
    void aJudge() {
        NativeJudge.require();
    }

    private PoolDirectory pool(String lines) throws IOException {
        PoolDirectory pool = PoolDirectory.forSet(directory.resolve("pool"), lines);
        ObjectPool.create(pool.pool(), "").close();
        NativeJudge.work(pool.pool(), 3, 60);
        return pool;
    }

    private static NativeJudge.Answer theirs(PoolDirectory pool, String... options) {
        return NativeTools.pmempool(words(pool, options));
    }

    private static NativeJudge.Answer ours(PoolDirectory pool, String... options) {
        return NativeTools.farheap(words(pool, options));
    }

    private static String[] words(PoolDirectory pool, String... options) {
        String[] words = Arrays.copyOf(options, options.length + 2);
        System.arraycopy(options, 0, words, 1, options.length);
        words[0] = "sync";
        words[words.length - 1] = pool.pool().toString();
        return words;
    }

    private static void flip(Path file, int offset) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[offset] ^= 1;
        Files.write(file, bytes);
    }

    private static String uuid(Path part) throws IOException {
        byte[] page = Arrays.copyOf(Files.readAllBytes(part), PAGE);
        return new PoolHeader(MemorySegment.ofArray(page)).uuid().toString();
    }

    private static Map<String, Damage> restorable() {
        Map<String, Damage> all = new LinkedHashMap<>();
        all.put(HEALTHY, dir -> {});
        all.put("a part is missing", dir -> Files.delete(dir.resolve("b")));
        all.put(
                "the master is missing",
                dir -> {
                    Files.delete(dir.resolve("a"));
                    Files.delete(dir.resolve("b"));
                });
        all.put("a header is wrong", dir -> flip(dir.resolve("c"), 100));
        all.put(
                "a file is cut off",
                dir -> Files.write(dir.resolve("d"), Arrays.copyOf(new byte[1], 5000)));
        return all;
    }

    @Test
    void whatIsRestoredThereIsRestoredHereWithTheSameObjectsAndNames() throws IOException {
        PoolDirectory pool = pool(LINES);
        Listing objects = NativeJudge.list(pool.copyTo(directory.resolve("seen")).pool());
        int number = 0;
        for (Map.Entry<String, Damage> damage : restorable().entrySet()) {
            String what = damage.getKey();
            PoolDirectory theirs = pool.copyTo(directory.resolve("theirs" + number));
            PoolDirectory ours = pool.copyTo(directory.resolve("ours" + number++));
            damage.getValue().in(theirs.directory());
            damage.getValue().in(ours.directory());

            assertThat(theirs(theirs, "-d").exitCode()).as(what).isZero();
            assertThat(ours(ours, "-d").exitCode()).as(what).isZero();
            NativeJudge.Answer native1 = theirs(theirs, "-v");
            NativeJudge.Answer done = ours(ours, "-v");

            assertThat(native1.exitCode()).as("%s: %s", what, native1).isZero();
            assertThat(done.exitCode()).as("%s: %s", what, done).isZero();
            NativeJudge.assertConsistent(ours.pool());
            assertThat(NativeJudge.list(ours.pool())).as(what).isEqualTo(objects);
            assertThat(NativeJudge.list(theirs.pool())).as(what).isEqualTo(objects);
            for (String first : new String[] {"a", "c"}) {
                assertThat(uuid(ours.directory().resolve(first)))
                        .as("%s: the first part of a replica keeps its name", what)
                        .isEqualTo(uuid(pool.directory().resolve(first)))
                        .isEqualTo(uuid(theirs.directory().resolve(first)));
            }
        }
    }

    /** With the descriptor the number is lost that tells of which run the other part is. */
    @Test
    void aPartThatMayBeNewerIsMixedWithAnotherRunThereAndRefusedHere() throws IOException {
        PoolDirectory theirs = pool(LINES).copyTo(directory.resolve("theirs"));
        PoolDirectory ours = theirs.copyTo(directory.resolve("ours"));
        flip(theirs.directory().resolve("a"), PAGE + 100);
        flip(ours.directory().resolve("a"), PAGE + 100);
        assertThat(theirs(theirs, "-v").exitCode()).isZero();
        NativeJudge.Answer refused = ours(ours, "-v");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("it may be newer: move it away");

        Files.delete(ours.directory().resolve("b"));
        assertThat(ours(ours, "-v").exitCode()).isZero();
        NativeJudge.assertConsistent(ours.pool());
    }

    @Test
    void whatIsRefusedThereIsRefusedHere() throws IOException {
        PoolDirectory pool = pool(LINES);
        Map<String, Damage> all = new LinkedHashMap<>();
        all.put(
                "each replica lost a part",
                dir -> {
                    Files.delete(dir.resolve("b"));
                    Files.delete(dir.resolve("c"));
                });
        all.put(
                "replicas in another order",
                dir -> {
                    Path set = dir.resolve("pool.set");
                    String text = Files.readString(set);
                    Files.writeString(
                            set, text.replace("/b", "/x").replace("/d", "/b").replace("/x", "/d"));
                });
        all.put(
                "no poolset file",
                dir ->
                        Files.move(
                                dir.resolve("a"),
                                dir.resolve("pool.set"),
                                StandardCopyOption.REPLACE_EXISTING));
        int number = 0;
        for (Map.Entry<String, Damage> damage : all.entrySet()) {
            PoolDirectory theirs = pool.copyTo(directory.resolve("theirs" + number));
            PoolDirectory ours = pool.copyTo(directory.resolve("ours" + number++));
            damage.getValue().in(theirs.directory());
            damage.getValue().in(ours.directory());
            assertThat(theirs(theirs).exitCode()).as(damage.getKey()).isOne();
            assertThat(ours(ours).exitCode()).as("%s: %s", damage.getKey(), ours(ours)).isNotZero();
        }
    }

    @Test
    void partsAsSmallAsPoolsMayHaveThemAreRestoredOnlyHere() throws IOException {
        PoolDirectory ours = pool("4M @/a\n5M @/b\nREPLICA\n9M @/c");
        PoolDirectory theirs = ours.copyTo(directory.resolve("theirs"));
        Files.delete(theirs.directory().resolve("b"));
        Files.delete(ours.directory().resolve("b"));
        assertThat(theirs(theirs).exitCode()).isOne();
        assertThat(ours(ours).exitCode()).isZero();
        NativeJudge.assertConsistent(ours.pool());
    }

    /** Equal borders: the C program's pool is in what the two replicas have left. */
    @Test
    void replicasThatEachLostAnotherPartAreMadeWholeOnlyHere() throws IOException {
        PoolDirectory ours = pool("8M @/a\n8M @/b\n9M @/c\nREPLICA\n8M @/d\n8M @/e\n9M @/f");
        Listing objects = NativeJudge.list(ours.copyTo(directory.resolve("seen")).pool());
        for (String part : new String[] {"b", "f"}) {
            Files.delete(ours.directory().resolve(part));
        }
        PoolDirectory theirs = ours.copyTo(directory.resolve("theirs"));
        assertThat(theirs(theirs).exitCode()).isOne();

        NativeJudge.Answer done = ours(ours, "-v");

        assertThat(done.exitCode()).as("%s", done).isZero();
        NativeJudge.assertConsistent(ours.pool());
        assertThat(NativeTools.pmempool("check", ours.pool().toString()).exitCode()).isZero();
        assertThat(NativeJudge.list(ours.pool())).isEqualTo(objects);
    }

    @Test
    void aPartThatSomebodyHasIsMadeAnewThereAndLeftAloneHere() throws IOException {
        PoolDirectory ours = pool(LINES);
        PoolDirectory theirs = ours.copyTo(directory.resolve("theirs"));
        Path held = theirs.directory().resolve("b");
        try (NativeFile program = NativeFile.open(held)) {
            program.lock();
            assertThat(theirs(theirs).exitCode()).isZero();
            assertThat(program.isAtItsPath()).as("pmempool leaves the file").isFalse();
        }
        try (NativeFile program = NativeFile.open(ours.directory().resolve("b"))) {
            program.lock();
            NativeJudge.Answer refused = ours(ours);
            assertThat(refused.exitCode()).isEqualTo(3);
            assertThat(refused.err()).contains("in use by this process");
            assertThat(program.isAtItsPath()).isTrue();
        }
    }

    @Test
    void damagedContentIsCopiedThereAndNotHere() throws IOException {
        PoolDirectory ours = pool(LINES);
        flip(ours.directory().resolve("a"), CHUNK_HEADER);
        Files.delete(ours.directory().resolve("c"));
        Files.delete(ours.directory().resolve("d"));
        PoolDirectory theirs = ours.copyTo(directory.resolve("theirs"));
        assertThat(theirs(theirs).exitCode()).isZero();
        assertThat(theirs.directory().resolve("c")).exists();
        NativeJudge.Answer refused = ours(ours);
        assertThat(refused.exitCode()).isOne();
        assertThat(refused.err()).contains("no healthy replica found", "its content is damaged");
        assertThat(ours.directory().resolve("c")).doesNotExist();
    }

    @Test
    void anOldCopyBesideTheNewOneIsOverlookedThereAndNamedHere() throws IOException {
        PoolDirectory ours = pool(LINES);
        PoolDirectory old = ours.copyTo(directory.resolve("old"));
        NativeJudge.work(ours.pool(), 4, 60);
        for (String part : new String[] {"c", "d"}) {
            Files.copy(
                    old.directory().resolve(part),
                    ours.directory().resolve(part),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        PoolDirectory theirs = ours.copyTo(directory.resolve("theirs"));
        assertThat(theirs(theirs).exitCode()).isZero();
        NativeJudge.Answer refused = ours(ours);
        assertThat(refused.exitCode()).isOne();
        assertThat(refused.err()).contains("has number");
    }
}
