package io.farheap;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.PoolHeader;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.PoolSource;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pools of two local replicas with a disk journal each: open, killed, closed, one thing lost. */
class DiskCopiesPoolTest {
    private static final PoolOptions JOURNAL =
            PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
    private static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();
    private static final int HEADER = 4096;

    @TempDir private Path directory;
    private Path set;

    @BeforeEach
    void nameThem() throws IOException {
        set = setIn(directory);
    }

    private static Path setIn(Path home) throws IOException {
        return Files.writeString(
                home.resolve("a.set"),
                "PMEMPOOLSET\n8M %1$s/a.0\n8M %1$s/a.1\nREPLICA\n16M %1$s/b.0\n".formatted(home));
    }

    private static Path journalOf(Path part) {
        return part.resolveSibling(part.getFileName() + ".disk-journal");
    }

    private static List<Path> parts(Path home) {
        return List.of(home.resolve("a.0"), home.resolve("a.1"), home.resolve("b.0"));
    }

    private static List<Path> journals(Path home) {
        return List.of(journalOf(home.resolve("a.0")), journalOf(home.resolve("b.0")));
    }

    private ObjectPool created() {
        return ObjectPool.at(set).layout("test").options(JOURNAL).create();
    }

    private static ObjectPool opened(Path home, PoolOptions options) {
        return ObjectPool.at(home.resolve("a.set")).layout("test").options(options).open();
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

    private static boolean isMarked(Path part) throws IOException {
        byte[] page = Arrays.copyOf(Files.readAllBytes(part), HEADER);
        return new PoolHeader(MemorySegment.ofArray(page)).isMarked();
    }

    /** What a kill leaves: all files as the page cache has them. */
    private Path killed() throws IOException {
        return killed(directory);
    }

    private Path killed(Path of) throws IOException {
        Path home = Files.createTempDirectory(directory, "killed");
        Path unused = setIn(home);
        for (Path file : parts(of)) {
            Files.copy(file, home.resolve(file.getFileName()));
        }
        for (Path file : journals(of)) {
            Files.copy(file, home.resolve(file.getFileName()));
        }
        return home;
    }

    /** Behind the headers, byte for byte. */
    private static void assertReplicasAreEqual(Path home) throws IOException {
        byte[] first = Files.readAllBytes(home.resolve("a.0"));
        byte[] second = Files.readAllBytes(home.resolve("b.0"));
        assertThat(
                        Arrays.mismatch(
                                Arrays.copyOfRange(first, HEADER, first.length),
                                Arrays.copyOfRange(second, HEADER, first.length)))
                .as("first difference of the replicas")
                .isNegative();
    }

    @Test
    void eachHasAJournalAndIsMarkedWhileThePoolIsOpen() throws IOException {
        try (ObjectPool pool = created()) {
            assertThat(pool.persistenceDomain()).isEqualTo(PersistenceDomain.JOURNAL);
            set(pool, 42);
            assertThat(journals(directory)).allMatch(Files::exists);
            for (Path part : parts(directory)) {
                assertThat(isMarked(part)).as(part.toString()).isTrue();
            }
        }
        for (Path part : parts(directory)) {
            assertThat(isMarked(part)).as(part.toString()).isFalse();
        }
        assertReplicasAreEqual(directory);
        try (ObjectPool pool = opened(directory, PAGES)) {
            assertThat(get(pool)).isEqualTo(42);
            set(pool, 43);
        }
        try (ObjectPool pool = opened(directory, JOURNAL)) {
            assertThat(get(pool)).isEqualTo(43);
        }
    }

    /** What is lost with one of the disks' journals, or none. */
    private enum Lost {
        NOTHING,
        FIRST_JOURNAL,
        SECOND_JOURNAL
    }

    @ParameterizedTest
    @EnumSource(Lost.class)
    void oneOfTheJournalsIsEnough(Lost lost) throws IOException {
        Path home;
        try (ObjectPool pool = created()) {
            for (int i = 1; i <= 100; i++) {
                set(pool, i);
            }
            home = killed();
        }
        if (lost != Lost.NOTHING) {
            Files.delete(journals(home).get(lost == Lost.FIRST_JOURNAL ? 0 : 1));
        }
        Path again;
        try (ObjectPool pool = opened(home, JOURNAL)) {
            assertThat(get(pool)).isEqualTo(100);
            set(pool, 101);
            again = killed(home);
        }
        assertReplicasAreEqual(home);
        Files.delete(journals(again).get(0)); // so the other one has all of it, too
        try (ObjectPool pool = opened(again, PAGES)) {
            assertThat(get(pool)).isEqualTo(101);
        }
        assertReplicasAreEqual(again);
    }

    /** As a block has become unreadable, or the file is a copy of an earlier time. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void theJournalThatReachesFurtherCounts(int damaged) throws IOException {
        Path home;
        try (ObjectPool pool = created()) {
            for (int i = 1; i <= 100; i++) {
                set(pool, i);
            }
            home = killed();
        }
        try (RandomAccessFile file =
                new RandomAccessFile(journals(home).get(damaged).toFile(), "rw")) {
            file.seek(2 * HEADER + 20L * HEADER);
            file.write(new byte[HEADER]);
        }
        try (ObjectPool pool = opened(home, JOURNAL)) {
            assertThat(get(pool)).isEqualTo(100);
        }
        assertReplicasAreEqual(home);
    }

    /** Its batches were checkpointed to the files of both since then. */
    @Test
    void aJournalOfAnEarlierTimeIsPassedOver() throws IOException {
        Path home;
        Path early;
        int count = 0;
        try (ObjectPool pool = created()) {
            set(pool, ++count);
            early = Files.copy(journals(directory).get(1), directory.resolve("early"));
            while (pool.counters().checkpoints() == 0) {
                set(pool, ++count);
            }
            set(pool, ++count);
            home = killed();
        }
        Path unused = Files.move(early, journals(home).get(1), REPLACE_EXISTING);
        try (ObjectPool pool = opened(home, JOURNAL)) {
            assertThat(get(pool)).isEqualTo(count);
        }
        assertReplicasAreEqual(home);
    }

    /** Where the pool was recovered since then, it may have been without this replica. */
    @Test
    void oneOfBeforeARecoveryIsRefused() throws IOException {
        Path home;
        try (ObjectPool pool = created()) {
            set(pool, 1);
            home = killed();
            set(pool, 2);
            Path unused = Files.copy(journals(home).get(1), directory.resolve("early"));
            home = killed();
        }
        Path again;
        try (ObjectPool pool = opened(home, JOURNAL)) {
            set(pool, 3);
            again = killed(home);
        }
        Path moved =
                Files.move(directory.resolve("early"), journals(again).get(1), REPLACE_EXISTING);
        assertThat(moved).exists();
        assertRefused(again, "another time", "nothing was changed");
    }

    private static void assertRefused(Path home, String... words) throws IOException {
        List<byte[]> before = new ArrayList<>();
        for (Path part : parts(home)) {
            before.add(Files.readAllBytes(part));
        }
        for (PoolOptions options : List.of(JOURNAL, PAGES)) {
            assertThatThrownBy(() -> opened(home, options))
                    .isInstanceOf(FarheapException.class)
                    .satisfies(e -> assertThat(e.getMessage()).contains(words))
                    .satisfies(
                            e ->
                                    assertThat(((FarheapException) e).category())
                                            .isEqualTo(Category.BAD_DATA));
        }
        for (int i = 0; i < before.size(); i++) {
            assertThat(Files.readAllBytes(parts(home).get(i))).isEqualTo(before.get(i));
        }
    }

    @Test
    void withoutAnyJournalAMarkedPoolIsRefusedAndLeftAlone() throws IOException {
        try (ObjectPool pool = created()) {
            set(pool, 7);
            Path home = killed();
            for (Path journal : journals(home)) {
                Files.delete(journal);
            }
            assertRefused(
                    home,
                    journals(home).get(0) + " or " + journals(home).get(1),
                    "missing",
                    "nothing was changed");
        }
    }

    /** What an opening that was refused has made must not pass for the journal of this pool. */
    @Test
    void aJournalMadeInThePlaceOfALostOneHasNothingUntilThePoolIsRecovered() throws IOException {
        created().close();
        Path old = Files.copy(journals(directory).get(1), directory.resolve("old"));
        try (ObjectPool pool = opened(directory, JOURNAL)) {
            set(pool, 7);
            Path home = killed();
            Path right = Files.move(journals(home).get(1), home.resolve("right"));
            Files.delete(journals(home).get(0));
            Files.copy(old, journals(home).get(1));
            assertRefused(home, "another journal", "nothing was changed");
            Files.delete(journals(home).get(1));
            assertRefused(home, "missing", "nothing was changed");
            Files.move(right, journals(home).get(1));
            pool.close();
            try (ObjectPool recovered = opened(home, JOURNAL)) {
                assertThat(get(recovered)).isEqualTo(7);
            }
        }
    }

    /** Its journal would be passed over for the other one's, which has nothing any more. */
    @Test
    void aReplicaThatWasAwayWhenTheOtherWasRecoveredIsRefusedAndLeftAlone() throws IOException {
        Path home;
        try (ObjectPool pool = created()) {
            set(pool, 7);
            home = killed();
        }
        Path away = Files.move(home.resolve("b.0"), home.resolve("away"));
        DiskJournalRecovery.recover(PoolSource.of(home.resolve("a.set")));
        assertThat(isMarked(home.resolve("a.0"))).isFalse();
        Files.move(away, home.resolve("b.0"));
        assertRefused(home, "not all marked", "nothing was changed");
    }

    /** The journal of the one that is left stays one for the whole pool. */
    @Test
    void theRecoveryOfOneReplicaAloneKeepsTheSizeOfThePool() throws IOException {
        Path home;
        try (ObjectPool pool = created()) {
            set(pool, 7);
            home = killed();
        }
        Path lost = Files.move(home.resolve("a.1"), home.resolve("lost"));
        DiskJournalRecovery.recover(PoolSource.of(home.resolve("a.set")));
        Files.move(lost, home.resolve("a.1"));
        assertThat(imageBytesOf(journals(home).get(1)))
                .isEqualTo(imageBytesOf(journals(home).get(0)));
    }

    /** One that is there and wrong may be another pool's: nobody writes over it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aJournalThatIsWrongIsRefusedAndMayBeMovedAway(int wrong) throws IOException {
        Path home;
        try (ObjectPool pool = created()) {
            set(pool, 7);
            home = killed();
        }
        Path journal = journals(home).get(wrong);
        try (RandomAccessFile file = new RandomAccessFile(journal.toFile(), "rw")) {
            file.setLength(file.length() - HEADER);
        }
        String other =
                "move that file away: all of its commits are in " + journals(home).get(1 - wrong);
        assertRefused(home, "another size", other);
        assertThatThrownBy(() -> DiskJournalRecovery.recover(PoolSource.of(home.resolve("a.set"))))
                .hasMessageContaining(other);
        for (Path part : parts(home)) {
            assertThat(isMarked(part)).as(part.toString()).isTrue();
        }
        Path unused = Files.move(journal, home.resolve("away"));
        try (ObjectPool pool = opened(home, JOURNAL)) {
            assertThat(get(pool)).isEqualTo(7);
        }
        assertReplicasAreEqual(home);
    }

    /** It would be replayed over, and its content copied over the newer one. */
    @ParameterizedTest
    @ValueSource(strings = {"a.0", "a.1", "b.0"})
    void aPartOfAnEarlierTimeIsRefusedAndLeftAlone(String part) throws IOException {
        created().close();
        Path old = Files.copy(directory.resolve(part), directory.resolve("old"));
        try (ObjectPool pool = opened(directory, JOURNAL)) {
            set(pool, 7);
            Path home = killed();
            Files.delete(home.resolve(part));
            Files.copy(old, home.resolve(part));
            assertRefused(home, "another time", "nothing was changed");
        }
    }

    /** As a crash leaves them that comes between two headers. */
    @ParameterizedTest
    @ValueSource(strings = {"a.0", "a.1", "b.0"})
    void oneHeaderMayBeMarkedAloneWhereNothingWasOrdered(String part) throws IOException {
        try (ObjectPool pool = created()) {
            set(pool, 7);
        }
        Path file = directory.resolve(part);
        byte[] content = Files.readAllBytes(file);
        new PoolHeader(MemorySegment.ofArray(content).asSlice(0, HEADER))
                .mark(idOf(journals(directory).get(0)));
        Files.write(file, content);

        try (ObjectPool pool = opened(directory, JOURNAL)) {
            assertThat(get(pool)).isEqualTo(7);
        }
        assertReplicasAreEqual(directory);
    }

    private static long idOf(Path journal) throws IOException {
        return ofSuperblock(journal, 56);
    }

    private static long imageBytesOf(Path journal) throws IOException {
        return ofSuperblock(journal, 80);
    }

    /** As the newer superblock has it. */
    private static long ofSuperblock(Path journal, long at) throws IOException {
        MemorySegment begin =
                MemorySegment.ofArray(Arrays.copyOf(Files.readAllBytes(journal), 2 * HEADER));
        long first = begin.get(ValueLayout.JAVA_LONG_UNALIGNED, 16);
        long second = begin.get(ValueLayout.JAVA_LONG_UNALIGNED, HEADER + 16);
        return begin.get(ValueLayout.JAVA_LONG_UNALIGNED, at + (second > first ? HEADER : 0));
    }

    @Test
    void journalsOfDifferentLivesBecomeEqual() throws IOException {
        created().close();
        Files.delete(journals(directory).get(1));
        Path home;
        try (ObjectPool pool = opened(directory, JOURNAL)) {
            set(pool, 9);
            home = killed();
        }
        Files.delete(journals(home).get(0));
        try (ObjectPool pool = opened(home, JOURNAL)) {
            assertThat(get(pool)).isEqualTo(9);
        }
    }

    /** A crash of a program without a journal may have left such words in one of them. */
    @Test
    void lanesAndCountsThatDifferAreTheFirstReplicasAfterwards() throws IOException {
        created().close();
        try (RandomAccessFile second =
                new RandomAccessFile(directory.resolve("b.0").toFile(), "rw")) {
            second.seek(Descriptor.CURR_ALLOCATED);
            second.writeLong(0x1234_5678);
            second.seek(Descriptor.DEFAULT_LANES_OFFSET + 5 * LaneLayout.SIZE + 2496);
            second.writeLong(0x1234_5678);
        }
        opened(directory, JOURNAL).close();
        assertReplicasAreEqual(directory);
    }
}
