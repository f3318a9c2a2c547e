package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.farheap.base.DiskJournalFacts;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.layout.PoolHeader;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.FailingCalls.Call;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pools on an ordinary disk, of programs that say nothing of journals. */
class OrdinaryDiskPoolTest {
    private static final long SIZE = 8 << 20;
    private static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();
    private static final PoolOptions JOURNAL =
            PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();

    private static final boolean DEEP = Boolean.getBoolean("test.deep");

    /** Programs that are killed one after the other. */
    private static final int LIVES = DEEP ? 3 : 1;

    private DiskDirectory disk;
    private Path file;
    private Path journal;

    @BeforeEach
    void onADisk() {
        Assumptions.assumeTrue(
                System.getenv("FARHEAP_DURABILITY") == null, "FARHEAP_DURABILITY says something");
        disk = DiskDirectory.create();
        file = disk.path().resolve("a.pool");
        journal = disk.path().resolve("a.pool.disk-journal");
    }

    @AfterEach
    void remove() {
        if (disk != null) {
            disk.close();
        }
    }

    private ObjectPool created() {
        return ObjectPool.at(file).layout("").size(SIZE).create();
    }

    private static void set(ObjectPool pool, long value) {
        Ref root = pool.root(64);
        pool.transaction(tx -> tx.setLong(root, 0, value));
    }

    private static long get(ObjectPool pool) {
        assertThat(pool.check().inconsistencies()).isEmpty();
        return pool.getLong(pool.root(64), 0);
    }

    private static boolean isMarked(Path part) {
        try (RandomAccessFile in = new RandomAccessFile(part.toFile(), "r")) {
            byte[] page = new byte[4096];
            in.readFully(page);
            return new PoolHeader(MemorySegment.ofArray(page)).isMarked();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> names() {
        return names(disk.path());
    }

    private static List<String> names(Path directory) {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void aNewPoolHasAJournal() {
        try (ObjectPool pool = created()) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
            assertThat(pool.diskJournals())
                    .extracting(DiskJournalFacts::file, DiskJournalFacts::bytes)
                    .containsExactly(tuple(journal, 8192L + SIZE / 4));
            set(pool, 42);
            long before = pool.counters().diskSyncs();
            set(pool, 43);
            assertThat(pool.counters().diskSyncs() - before).isEqualTo(1);
            assertThat(isMarked(file)).isTrue();
        }
        assertThat(isMarked(file)).isFalse();
        assertThat(names()).containsExactly("a.pool", "a.pool.disk-journal");
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
            assertThat(get(pool)).isEqualTo(43);
        }
    }

    @Test
    void soHasOneThatNeverHadOne() {
        try (ObjectPool pool = ObjectPool.at(file).layout("").size(SIZE).options(PAGES).create()) {
            assertThat(pool.diskJournals()).isEmpty();
            set(pool, 1);
        }
        assertThat(journal).doesNotExist();
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
            assertThat(get(pool)).isEqualTo(1);
            set(pool, 2);
        }
        try (ObjectPool pool = ObjectPool.at(file).layout("").options(PAGES).open()) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.PAGE_CACHE);
            assertThat(get(pool)).as("closed, it needs no journal").isEqualTo(2);
        }
    }

    @Test
    void aPoolInMemoryHasNone(@TempDir Path memory) throws IOException {
        Assumptions.assumeTrue(
                Files.getFileStore(memory).type().equals("tmpfs"), "no tests in memory here");
        Path there = memory.resolve("a.pool");
        try (ObjectPool pool = ObjectPool.at(there).layout("").size(SIZE).create()) {
            assertThat(pool.persistenceDomain()).isNotEqualTo(PersistenceDomain.JOURNAL);
        }
        assertThat(names(memory)).containsExactly("a.pool");
    }

    @Test
    void onePartOnADiskIsEnoughForAllReplicasAndEachTime(@TempDir Path memory) throws IOException {
        Path set =
                Files.writeString(
                        disk.path().resolve("a.set"),
                        "PMEMPOOLSET\n8M %1$s/part0\nREPLICA\n8M %1$s/copy0\n2M %2$s/copy1\n"
                                .formatted(memory, disk.path()));
        ObjectPool.create(set, "").close();
        for (int round = 1; round <= 2; round++) {
            try (ObjectPool pool = ObjectPool.open(set, "")) {
                assertThat(pool.diskJournals())
                        .extracting(facts -> facts.file().getFileName().toString())
                        .containsExactly("part0.disk-journal", "copy0.disk-journal");
                set(pool, round);
            }
            for (Path part : List.of(memory.resolve("part0"), disk.path().resolve("copy1"))) {
                assertThat(isMarked(part)).isFalse();
            }
        }
    }

    @Test
    void aPoolThatGrowsHasOne() throws IOException {
        Path parts = Files.createDirectory(disk.path().resolve("parts"));
        Path set =
                Files.writeString(
                        disk.path().resolve("a.set"),
                        "PMEMPOOLSET\nOPTION SINGLEHDR\n64M " + parts + "\n");
        try (ObjectPool pool = ObjectPool.create(set, "")) {
            pool.heap().setGranularity(2 << 20);
            for (int i = 0; i < 12; i++) {
                pool.transaction(tx -> tx.setLong(tx.allocate(1 << 20, 3), 0, 1));
            }
            set(pool, 9);
            assertThat(pool.diskJournals().get(0).bytes()).isEqualTo(8192 + (16 << 20));
        }
        assertThat(names(parts)).contains("000004.pmem", "000000.pmem.disk-journal");
        try (ObjectPool pool = ObjectPool.open(set, "")) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
            assertThat(get(pool)).isEqualTo(9);
        }
    }

    // ---- where no journal can be

    /** Whatever the kernel says to the making of a journal, who asked for none has his pool. */
    @ParameterizedTest
    @Tag("sliced")
    @EnumSource(
            value = Call.class,
            names = {"OPEN", "WRITE", "ALLOCATE", "SYNC", "LOCK", "RENAME", "MAP"})
    void aPoolThatCanHaveNoneIsOpenedWithout(Call call) throws IOException {
        try (ObjectPool pool = ObjectPool.at(file).layout("").size(SIZE).options(PAGES).create()) {
            set(pool, 7);
        }
        long without = 0;
        for (int number : numbers(40)) {
            Files.deleteIfExists(journal);
            try (FailingCalls calls = FailingCalls.under(disk.path())) {
                calls.fail(call, number, FailingCalls.ENOSPC);
                without += opened() ? 1 : 0;
            }
            assertThat(names())
                    .as("after the %s-th %s", number, call)
                    .isSubsetOf("a.pool", "a.pool.disk-journal");
            // A mark stays where the disk failed after it was set, as in a close.
            try (ObjectPool pool = ObjectPool.at(file).layout("").options(PAGES).open()) {
                assertThat(get(pool)).isEqualTo(7);
                assertThat(isMarked(file)).isFalse();
            }
        }
        assertThat(without).as("opened without a journal after a failing %s", call).isPositive();
    }

    /** The first calls, and in the usual run one in four of those behind them. */
    private static int[] numbers(int most) {
        return IntStream.rangeClosed(1, most)
                .filter(number -> DEEP || number < 8 || number % 4 == 0)
                .toArray();
    }

    /** Whether the pool could be opened, and has no journal. Calls for the parts fail, too. */
    private boolean opened() {
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            assertThat(pool.getLong(pool.root(64), 0)).isEqualTo(7);
            return pool.persistenceDomain() == PersistenceDomain.PAGE_CACHE;
        } catch (FarheapException e) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"OPEN", "WRITE", "ALLOCATE", "SYNC", "LOCK", "RENAME", "MAP"})
    void whoAskedForOneIsTold(Call call) {
        ObjectPool.at(file).layout("").size(SIZE).options(PAGES).create().close();
        int told = 0;
        for (int number = 1; number <= 20; number++) {
            try (FailingCalls calls = FailingCalls.under(disk.path())) {
                calls.fail(call, number, FailingCalls.ENOSPC);
                ObjectPool.at(file).layout("").options(JOURNAL).open().close();
            } catch (FarheapException e) {
                told += e.getMessage().contains("FARHEAP_DURABILITY=pages") ? 1 : 0;
            }
        }
        assertThat(told).isPositive();
    }

    @Test
    void aFullDiskLeavesNothingOfANewPool() {
        try (FailingCalls calls = FailingCalls.under(disk.path())) {
            calls.fail(Call.ALLOCATE, 2, FailingCalls.ENOSPC); // the first is the pool's
            assertThatThrownBy(this::created)
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("cannot reserve")
                    .hasMessageContaining("disk-journal")
                    .hasMessageContaining("No space left on device")
                    .hasMessageContaining("FARHEAP_DURABILITY=pages");
        }
        assertThat(names()).isEmpty();
    }

    @Test
    void anyFailureOfACreationLeavesNothing() {
        boolean failed = true;
        int number = 0;
        int refused = 0;
        while (failed) {
            number++;
            try (FailingCalls calls = FailingCalls.under(disk.path())) {
                calls.fail(number, FailingCalls.ENOSPC);
                ObjectPool pool = null;
                try {
                    pool = created();
                } catch (FarheapException e) {
                    refused++;
                    assertThat(names()).as("after call %s: %s", number, e).isEmpty();
                }
                failed = !calls.failed().isEmpty();
                calls.heal();
                if (pool != null) {
                    pool.close();
                }
            }
            names().forEach(name -> delete(disk.path().resolve(name)));
        }
        assertThat(refused).isGreaterThan(30);
    }

    private static void delete(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anEmptyFileThatWasThereIsEmptyAgain() throws IOException {
        Files.write(file, new byte[(int) SIZE]);
        Files.writeString(journal, "my notes");

        assertThatThrownBy(() -> ObjectPool.at(file).layout("").create())
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("move it away")
                .hasMessageContaining("FARHEAP_DURABILITY=pages");

        assertThat(journal).hasContent("my notes");
        assertHeaderIsZero();
        Files.delete(journal);
        ObjectPool.at(file).layout("").create().close();
    }

    private boolean isPool() throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            return in.read() != 0;
        }
    }

    private void assertHeaderIsZero() throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            byte[] header = new byte[4096];
            in.readFully(header);
            assertThat(header).containsOnly(0);
        }
    }

    /**
     * Also where it can't be mapped any more, and after the mark was set. If the pool was whole by
     * then, it stays one.
     */
    @ParameterizedTest
    @Tag("sliced")
    @EnumSource(
            value = Call.class,
            names = {"OPEN", "WRITE", "SYNC", "MAP"})
    void whateverFails(Call call) throws IOException {
        int refused = 0;
        for (int number : numbers(25)) {
            Files.write(file, new byte[(int) SIZE]);
            ObjectPool pool = null;
            try (FailingCalls calls = FailingCalls.under(disk.path())) {
                calls.fail(call, number, FailingCalls.ENOSPC);
                try {
                    pool = ObjectPool.at(file).layout("").create();
                } catch (FarheapException e) {
                    refused++;
                    assertThat(names()).as("after %s %s: %s", call, number, e).contains("a.pool");
                }
            }
            if (pool != null) {
                pool.close();
            } else if (isPool()) {
                ObjectPool.at(file).layout("").options(PAGES).open().close();
            } else {
                assertThat(journal).doesNotExist();
                assertHeaderIsZero();
            }
            Files.deleteIfExists(journal);
        }
        assertThat(refused).isPositive();
    }

    /** The journal of a pool that was not closed, whose part is somewhere else by now. */
    private void leaveAnothersJournal() throws IOException {
        Path left = disk.path().resolve("left");
        try (ObjectPool pool = created()) {
            set(pool, 1);
            Files.copy(journal, left);
        }
        Files.delete(file);
        Files.move(left, journal, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void anotherPoolsJournalStaysAndThePoolIsOpenedWithout() throws IOException {
        leaveAnothersJournal();
        byte[] others = Files.readAllBytes(journal);
        assertThatThrownBy(this::created)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("of another pool")
                .hasMessageContaining("move it away")
                .hasMessageContaining("FARHEAP_DURABILITY=pages");
        assertThat(file).doesNotExist();
        try (ObjectPool pool = ObjectPool.at(file).layout("").size(SIZE).options(PAGES).create()) {
            set(pool, 5);
        }
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.PAGE_CACHE);
            assertThat(get(pool)).isEqualTo(5);
        }
        assertThatThrownBy(() -> ObjectPool.at(file).layout("").options(JOURNAL).open())
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("of another pool");
        assertThat(Files.readAllBytes(journal)).isEqualTo(others);
    }

    /** Somebody has removed the part alone, as was always enough. */
    @Test
    void thatOfAPoolThatWasClosedIsReplaced() throws IOException {
        created().close();
        Files.delete(file);
        byte[] others = Files.readAllBytes(journal);
        try (ObjectPool pool = created()) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
            set(pool, 3);
        }
        assertThat(Files.readAllBytes(journal)).isNotEqualTo(others);
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            assertThat(get(pool)).isEqualTo(3);
        }
    }

    @Test
    void ofTwoReplicasWithoutRoomForTheSecondJournalNoneIsLeft() throws IOException {
        Path set =
                Files.writeString(
                        disk.path().resolve("a.set"),
                        "PMEMPOOLSET\n8M %1$s/part0\nREPLICA\n8M %1$s/copy0\n"
                                .formatted(disk.path()));
        ObjectPool.at(set).layout("").options(PAGES).create().close();
        try (FailingCalls calls = FailingCalls.under(disk.path())) {
            calls.fail(Call.ALLOCATE, 2, FailingCalls.ENOSPC);
            try (ObjectPool pool = ObjectPool.open(set, "")) {
                assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.PAGE_CACHE);
            }
        }
        assertThat(names()).containsExactly("a.set", "copy0", "part0");
    }

    // ---- killed

    /** A program that knows nothing of journals: it commits, and kills itself. */
    static final class Victim {
        public static void main(String[] arguments) throws Exception {
            Path file = Path.of(arguments[0]);
            ObjectPool pool = ObjectPool.at(file).layout("").size(SIZE).openOrCreate();
            long value = get(pool);
            for (int i = 0; i < 200; i++) {
                set(pool, ++value);
            }
            pool.transaction(
                    tx -> {
                        tx.setLong(pool.root(64), 0, -1);
                        kill();
                    });
        }

        private static void kill() throws IOException, InterruptedException {
            String self = Long.toString(ProcessHandle.current().pid());
            int unused = new ProcessBuilder("kill", "-9", self).start().waitFor();
            new CountDownLatch(1).await(); // for its end
        }
    }

    private int exitOfVictim() throws IOException, InterruptedException {
        Process victim =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Victim.class.getName(),
                                file.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try {
            assertThat(victim.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return victim.exitValue();
        } finally {
            victim.destroyForcibly();
        }
    }

    @Test
    @Tag("sliced")
    void whatAKilledProgramCommittedIsThere() throws IOException, InterruptedException {
        for (int life = 1; life <= LIVES; life++) {
            assertThat(exitOfVictim()).as("killed").isEqualTo(137);
            assertThat(isMarked(file)).isTrue();
        }
        try (ObjectPool pool = ObjectPool.open(file, "")) {
            assertThat(get(pool)).isEqualTo(200 * LIVES);
        }
        try (ObjectPool pool = ObjectPool.at(file).layout("").options(PAGES).open()) {
            assertThat(get(pool)).isEqualTo(200 * LIVES);
        }
    }

    @Test
    void aKilledPoolWithoutItsJournalIsRefusedAndLeftAlone() throws IOException {
        try (ObjectPool pool = created()) {
            set(pool, 7);
            Path copy = Files.copy(file, disk.path().resolve("b.pool"));
            byte[] before = Files.readAllBytes(copy);
            assertThatThrownBy(() -> ObjectPool.open(copy, ""))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("b.pool.disk-journal, which is missing")
                    .hasMessageContaining("nothing was changed");
            assertThat(Files.readAllBytes(copy)).isEqualTo(before);
        }
    }
}
