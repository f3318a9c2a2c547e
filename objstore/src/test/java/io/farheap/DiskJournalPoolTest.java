package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.layout.PoolHeader;
import io.farheap.testing.LinuxCalls;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pools with a disk journal as files: open, killed, closed, and with the wrong journal. */
class DiskJournalPoolTest {
    private static final PoolOptions JOURNAL =
            PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
    private static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();
    private static final long SIZE = 16 << 20;

    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void nameIt() {
        file = directory.resolve("a.pool");
    }

    private static Path journalOf(Path pool) {
        return pool.resolveSibling(pool.getFileName() + ".disk-journal");
    }

    private ObjectPool created() {
        return ObjectPool.at(file).layout("test").size(SIZE).options(JOURNAL).create();
    }

    private static void set(ObjectPool pool, long value) {
        Ref root = pool.root(64);
        pool.transaction(
                tx -> {
                    tx.setLong(root, 0, value);
                    tx.setLong(root, 8, value);
                });
    }

    private static long get(ObjectPool pool) {
        Ref root = pool.root(64);
        assertThat(pool.getLong(root, 8)).isEqualTo(pool.getLong(root, 0));
        assertThat(pool.check().inconsistencies()).isEmpty();
        return pool.getLong(root, 0);
    }

    private static PoolHeader header(Path pool) {
        try (RandomAccessFile in = new RandomAccessFile(pool.toFile(), "r")) {
            byte[] page = new byte[4096];
            in.readFully(page);
            return new PoolHeader(MemorySegment.ofArray(page));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a kill leaves: the files as the page cache has them. */
    private Path killed(ObjectPool open, boolean withJournal) throws IOException {
        assertThat(open.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
        Path copy = Files.createTempDirectory(directory, "killed").resolve("a.pool");
        Files.copy(file, copy);
        if (withJournal) {
            Files.copy(journalOf(file), journalOf(copy));
        }
        return copy;
    }

    @Test
    void aClosedPoolIsOneLikeAnyOther() {
        try (ObjectPool pool = created()) {
            set(pool, 42);
            assertThat(header(file).isMarked()).isTrue();
        }
        assertThat(header(file).isMarked()).isFalse();
        assertThat(header(file).checksumMatches()).isTrue();
        try (ObjectPool pool = ObjectPool.at(file).layout("test").options(PAGES).open()) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.PAGE_CACHE);
            assertThat(get(pool)).isEqualTo(42);
            set(pool, 43);
        }
        try (ObjectPool pool = ObjectPool.at(file).layout("test").options(JOURNAL).open()) {
            assertThat(get(pool)).as("not what the old journal says").isEqualTo(43);
        }
    }

    @Test
    void aClosedPoolDoesNotNeedItsJournal() throws IOException {
        created().close();
        assertThat(Files.exists(journalOf(file))).isTrue();
        Files.delete(journalOf(file));
        try (ObjectPool pool = ObjectPool.at(file).layout("test").options(JOURNAL).open()) {
            set(pool, 5);
        }
        try (ObjectPool pool = ObjectPool.at(file).layout("test").options(PAGES).open()) {
            assertThat(get(pool)).isEqualTo(5);
        }
    }

    /** The rule private-image: what is stored and not committed is in no file. */
    @Test
    void noStoreReachesTheFileByItself() throws IOException {
        try (ObjectPool pool = created()) {
            set(pool, 0x1122334455667788L);
            byte[] content = Files.readAllBytes(file);
            assertThat(indexOf(content, 0x1122334455667788L)).isNegative();
        }
        assertThat(indexOf(Files.readAllBytes(file), 0x1122334455667788L)).isPositive();
    }

    private static int indexOf(byte[] content, long value) {
        for (int at = 0; at < content.length; at += Long.BYTES) {
            long word = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                word |= (content[at + i] & 0xFFL) << (8 * i);
            }
            if (word == value) {
                return at;
            }
        }
        return -1;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWasCommittedIsThereAfterAKill(boolean again) throws IOException {
        Path copy;
        try (ObjectPool pool = created()) {
            for (int i = 1; i <= 100; i++) {
                set(pool, i);
            }
            copy = killed(pool, true);
        }
        try (ObjectPool pool =
                ObjectPool.at(copy).layout("test").options(again ? JOURNAL : PAGES).open()) {
            assertThat(get(pool)).isEqualTo(100);
            assertThat(header(copy).isMarked()).isEqualTo(again);
            set(pool, 101);
        }
        try (ObjectPool pool = ObjectPool.at(copy).layout("test").options(PAGES).open()) {
            assertThat(get(pool)).isEqualTo(101);
        }
    }

    private void assertRefused(Path copy, String... words) throws IOException {
        byte[] before = Files.readAllBytes(copy);
        for (PoolOptions options : List.of(JOURNAL, PAGES)) {
            assertThatThrownBy(() -> ObjectPool.at(copy).layout("test").options(options).open())
                    .isInstanceOf(FarheapException.class)
                    .satisfies(e -> assertThat(e.getMessage()).contains(words))
                    .satisfies(
                            e ->
                                    assertThat(((FarheapException) e).category())
                                            .isEqualTo(Category.BAD_DATA));
        }
        assertThat(Files.readAllBytes(copy)).isEqualTo(before);
    }

    @Test
    void aMarkedPoolWithoutItsJournalIsRefusedAndLeftAlone() throws IOException {
        try (ObjectPool pool = created()) {
            set(pool, 7);
            Path copy = killed(pool, false);
            assertRefused(copy, journalOf(copy).toString(), "missing", "nothing was changed");
        }
    }

    @Test
    void soIsOneWithAnotherPoolsJournal() throws IOException {
        Path other = directory.resolve("other.pool");
        ObjectPool.at(other).layout("test").size(SIZE).options(JOURNAL).create().close();
        try (ObjectPool pool = created()) {
            set(pool, 7);
            Path copy = killed(pool, false);
            Files.copy(journalOf(other), journalOf(copy));
            assertRefused(copy, "of another pool", "nothing was changed");
        }
    }

    @Test
    void soIsOneWithAJournalOfAnOlderLife() throws IOException {
        created().close();
        Path old = directory.resolve("old");
        Files.move(journalOf(file), old);
        try (ObjectPool pool = ObjectPool.at(file).layout("test").options(JOURNAL).open()) {
            set(pool, 7);
            Path copy = killed(pool, false);
            Files.copy(old, journalOf(copy));
            assertRefused(copy, "another journal", "nothing was changed");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 100, 4096, 8192, (4 << 20) + 8191})
    void soIsOneWithAJournalThatWasCut(long length) throws IOException {
        try (ObjectPool pool = created()) {
            set(pool, 7);
            Path copy = killed(pool, true);
            try (RandomAccessFile cut = new RandomAccessFile(journalOf(copy).toFile(), "rw")) {
                cut.setLength(length);
            }
            assertRefused(copy, journalOf(copy).toString(), "nothing was changed");
        }
    }

    @Test
    void soIsOneWithBothSuperblocksDamaged() throws IOException {
        try (ObjectPool pool = created()) {
            set(pool, 7);
            Path copy = killed(pool, true);
            try (RandomAccessFile journal = new RandomAccessFile(journalOf(copy).toFile(), "rw")) {
                for (long at : new long[] {20, 4096 + 20}) {
                    journal.seek(at);
                    int was = journal.read();
                    journal.seek(at);
                    journal.write(was ^ 1);
                }
            }
            assertRefused(copy, "damaged", "nothing was changed");
        }
    }

    @Test
    void somebodysFileInThePlaceOfTheJournalIsLeftThere() throws IOException {
        ObjectPool.at(file).layout("test").size(SIZE).options(PAGES).create().close();
        Files.writeString(journalOf(file), "my notes");

        assertThatThrownBy(() -> ObjectPool.at(file).layout("test").options(JOURNAL).open())
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("move it away");

        assertThat(journalOf(file)).hasContent("my notes");
        ObjectPool.at(file).layout("test").options(PAGES).open().close();
    }

    @Test
    void aCreationThatMeetsAnotherPoolsJournalLeavesThatAndNothingElse() throws IOException {
        byte[] journal;
        try (ObjectPool pool = created()) {
            set(pool, 1);
            journal = Files.readAllBytes(journalOf(file)); // as a kill leaves it
        }
        Files.write(journalOf(file), journal);
        Files.delete(file);

        assertThatThrownBy(this::created)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("of another pool")
                .hasMessageContaining("move it away");

        assertThat(file).doesNotExist();
        assertThat(Files.readAllBytes(journalOf(file))).isEqualTo(journal);
    }

    @Test
    void anAbortAndAnAtomicAllocationLeaveWhatTheyLeaveElsewhere() throws IOException {
        Path copy;
        try (ObjectPool pool = created()) {
            set(pool, 1);
            assertThatThrownBy(
                            () ->
                                    pool.transaction(
                                            tx -> {
                                                tx.setLong(pool.root(64), 0, 9);
                                                throw new IllegalStateException("no");
                                            }))
                    .isInstanceOf(IllegalStateException.class);
            List<Ref> objects = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                objects.add(pool.compute(tx -> tx.allocateZeroed(1000, 3)));
            }
            copy = killed(pool, true);
        }
        try (ObjectPool second = ObjectPool.at(copy).layout("test").options(JOURNAL).open()) {
            assertThat(get(second)).isEqualTo(1);
            int objects = second.compute(tx -> count(tx.objects(3)));
            assertThat(objects).isEqualTo(50);
        }
    }

    private static int count(Iterable<Ref> objects) {
        int count = 0;
        for (Ref unused : objects) {
            count++;
        }
        return count;
    }

    @Test
    @LinuxCalls("files of Java are written by objects")
    void aWarmCommitAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (ObjectPool pool = created()) {
            Ref root = pool.root(64);
            TransactionBody<RuntimeException> body = tx -> tx.setLong(root, 0, 1);
            for (int i = 0; i < 15_000; i++) {
                pool.transaction(body);
            }
            // A compilation that finishes in between costs some objects: the least of some rounds.
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 10 && least >= 5_000; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 5_000; i++) {
                    pool.transaction(body);
                }
                least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
            }
            assertThat(least / 5_000).as("bytes of garbage in a commit").isZero();
        }
    }

    @Test
    void aTransactionLargerThanTheRingCommits() {
        Path large = directory.resolve("large.pool");
        long bytes = 40 << 20;
        try (ObjectPool pool =
                ObjectPool.at(large).layout("test").size(128 << 20).options(JOURNAL).create()) {
            Ref object = pool.compute(tx -> tx.allocate(bytes, 1));
            byte[] piece = new byte[1 << 20];
            Arrays.fill(piece, (byte) 7);
            pool.transaction(
                    tx -> {
                        for (long at = 0; at < bytes; at += piece.length) {
                            tx.writeBytes(object, at, piece);
                        }
                    });
        }
        try (ObjectPool pool = ObjectPool.at(large).layout("test").options(PAGES).open()) {
            assertThat(pool.check().inconsistencies()).isEmpty();
        }
    }

    private static final int KILLS =
            Integer.getInteger("disk.kills", Boolean.getBoolean("test.deep") ? 5 : 1);

    /** The process of {@link #aKilledProcessLosesNothingThatItTold}. */
    static final class Victim {
        public static void main(String[] arguments) {
            try (ObjectPool pool =
                    ObjectPool.at(Path.of(arguments[0])).layout("test").options(JOURNAL).open()) {
                long value = get(pool);
                while (true) {
                    set(pool, ++value);
                    System.out.println(value);
                    System.out.flush();
                }
            }
        }
    }

    @Test
    @Tag("sliced")
    void aKilledProcessLosesNothingThatItTold() throws IOException, InterruptedException {
        try (ObjectPool pool = created()) {
            set(pool, 0);
        }
        long seed = Long.getLong("crash.seed", System.nanoTime());
        System.out.println("kills: seed " + seed);
        Random random = new Random(seed);
        long told = 0;
        for (int round = 0; round < KILLS; round++) {
            told = Math.max(told, killAfter(random.nextInt(300)));
        }
        try (ObjectPool pool = ObjectPool.at(file).layout("test").options(PAGES).open()) {
            assertThat(get(pool)).isBetween(told, told + 1);
        }
    }

    /** Starts the victim, and kills it after so many commits; the last that it told of. */
    private long killAfter(int commits) throws IOException, InterruptedException {
        Process victim =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
                                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                                "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Victim.class.getName(),
                                file.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (var told = victim.inputReader()) {
            String last = "0";
            String line = told.readLine();
            for (int i = 0; line != null; i++) {
                last = line;
                if (i == commits) {
                    // Process.destroyForcibly would close what was told and not read yet.
                    assertThat(victim.toHandle().destroyForcibly()).isTrue();
                }
                line = told.readLine();
            }
            assertThat(victim.waitFor(20, TimeUnit.SECONDS)).isTrue();
            return Long.parseLong(last);
        } finally {
            victim.destroyForcibly();
        }
    }
}
