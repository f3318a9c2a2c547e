package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The journal by itself: order, groups, backpressure, and what is found of it afterwards. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DiskJournalTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final long IMAGE = 1 << 20;
    private static final long WORD = 8192;
    private static final JournalGeometry GEOMETRY = new JournalGeometry(64 * 4096, 4096, 512);

    private final SimulatedDisk pool = new SimulatedDisk(IMAGE);
    private final SimulatedDisk disk = new SimulatedDisk(GEOMETRY.fileBytes());
    private final MemorySegment image = Arena.ofAuto().allocate(IMAGE, 4096);
    private final DiskJournalFile file = format(disk, 1);
    private final DiskJournal journal = new DiskJournal(image, List.of(file));
    private final PoolMemory memory = new PoolMemory(image, journal);
    private final Checkpointer checkpointer = new Checkpointer(journal, List.of(pool));

    private static DiskJournalFile format(SimulatedDisk on, long nonce) {
        return DiskJournalFile.format("journal", on, GEOMETRY, new byte[32], 7, nonce, IMAGE);
    }

    private static DiskJournalFile opened(SimulatedDisk on) {
        return DiskJournalFile.open("journal", on, GEOMETRY.batchBytes()).orElseThrow();
    }

    private static void inParallel(int threads, Runnable body) {
        List<Throwable> failures = new ArrayList<>();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(body);
            thread.setUncaughtExceptionHandler(
                    (t, e) -> {
                        synchronized (failures) {
                            failures.add(e);
                        }
                    });
            all.add(thread);
        }
        all.forEach(Thread::start);
        for (Thread thread : all) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        assertThat(failures).isEmpty();
    }

    /** The rule capture-in-turn. */
    @Test
    void aWordThatTwoThreadsChangeIsNeverOlderInALaterEntry() {
        inParallel(
                3,
                () -> {
                    for (int i = 0; i < 700; i++) {
                        memory.addLong(WORD, 1);
                        memory.flush(WORD, Long.BYTES);
                        memory.order();
                    }
                });
        memory.settle();

        List<Long> values = new ArrayList<>();
        long unused =
                opened(disk)
                        .replay((source, at, length, offset) -> values.add(source.get(LONG, at)));
        assertThat(values).hasSize(2100).isSorted();
        assertThat(values.get(2099)).isEqualTo(2100);
    }

    @Test
    void oneThreadPaysOneSyncForEachSettleAndNoneForAnOrder() {
        for (int i = 0; i < 5; i++) {
            memory.putLong(WORD, i);
            memory.flush(WORD, Long.BYTES);
            memory.order();
        }
        assertThat(journal.syncs()).isZero();

        memory.settle();
        memory.settle();

        assertThat(journal.syncs()).isEqualTo(1);
    }

    @Test
    void threadsShareSyncs() {
        int fences = 40;
        inParallel(
                4,
                () -> {
                    for (int i = 0; i < fences; i++) {
                        memory.flush(WORD, Long.BYTES);
                        memory.fence();
                    }
                });
        assertThat(journal.syncs()).isBetween(1L, 4L * fences);
    }

    @Test
    void theLastSyncAndTheLastCheckpointTellWhenTheyEndedAndHowLongTheyTook() {
        assertThat(checkpointer.counters().lastByName()).isEmpty();
        long begin = System.nanoTime();
        image.set(LONG, WORD, 1);
        memory.flush(WORD, 8);
        memory.fence();
        checkpointer.checkpoint();
        JournalCounters counters = checkpointer.counters();
        long most = System.nanoTime() - begin;
        assertThat(counters.lastSync().endedNanos() - begin).isBetween(1L, most);
        assertThat(counters.lastSync().tookNanos()).isBetween(1L, most);
        assertThat(counters.lastCheckpoint().endedNanos())
                .isGreaterThan(counters.lastSync().endedNanos());
        assertThat(counters.lastCheckpoint().tookNanos()).isBetween(1L, most);
        assertThat(counters.lastByName())
                .containsEntry("lastDiskSyncTookNanos", counters.lastSync().tookNanos())
                .containsEntry("lastCheckpointTookNanos", counters.lastCheckpoint().tookNanos())
                .hasSize(4);
    }

    @Test
    void anOrderLargerThanTheRingGoesThroughAsCheckpointsMakeRoom() {
        checkpointer.start();
        try {
            inParallel(
                    4,
                    () -> {
                        for (int i = 0; i < 3; i++) {
                            memory.flush(4096, IMAGE - 4096);
                            memory.fence();
                        }
                    });
        } finally {
            checkpointer.close();
        }
        assertThat(checkpointer.checkpoints()).isGreaterThan(10);
        assertThat(checkpointer.counters().waits()).as("threads that waited").isPositive();
        assertThat(checkpointer.counters().pages()).isGreaterThanOrEqualTo(255);
        assertThat(journal.hasFailed()).isFalse();
    }

    /** The rule private-image, of a checkpoint: what was not ordered is not in the journal. */
    @Test
    void whatWasNotOrderedIsInNoBatch() {
        memory.putLong(WORD, 5);
        memory.flush(WORD, Long.BYTES);
        memory.settle();

        assertThat(opened(disk).replay(DiskJournalFile.Entries.NONE)).isZero();
    }

    @Test
    void theFirstFailureIsTheLastWrite() {
        memory.flush(WORD, Long.BYTES);
        disk.failNextSync();

        assertThatThrownBy(memory::fence)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("decided when the pool is opened again");

        memory.flush(WORD, Long.BYTES);
        assertThatThrownBy(memory::order).isInstanceOf(FarheapException.class);
        assertThatThrownBy(memory::settle).isInstanceOf(FarheapException.class);
        assertThatThrownBy(checkpointer::checkpoint).isInstanceOf(FarheapException.class);
        assertThat(journal.syncs()).isZero();
    }

    /**
     * The rule fresh-id: the first of two batches is lost, the second is there; once another one is
     * in the place of the first it must not count as its successor.
     */
    @Test
    void aBatchOfAnOlderLifeIsNoSuccessorOfANewOne() {
        assertThat(endAfterALostBatch(2)).isEqualTo(512);
        assertThat(endAfterALostBatch(1)).as("with the old nonce").isEqualTo(1024);
    }

    private long endAfterALostBatch(long secondNonce) {
        SimulatedDisk on = new SimulatedDisk(GEOMETRY.fileBytes());
        DiskJournalFile life = format(on, 1);
        life.append(batch(1));
        life.append(batch(2));
        on.fill(on.cache());
        MemorySegment lost = Arena.ofAuto().allocate(512, 512);
        on.write(lost, 0, 512, DiskJournalLayout.RING);

        DiskJournalFile next = opened(on);
        assertThat(next.replay(DiskJournalFile.Entries.NONE)).isZero();
        next.restart(0, secondNonce);
        next.append(batch(3));
        return opened(on).replay(DiskJournalFile.Entries.NONE);
    }

    private JournalBatch batch(long value) {
        JournalBatch batch = new JournalBatch(GEOMETRY.batchBytes());
        image.set(LONG, WORD, value);
        assertThat(batch.append(image, WORD, Long.BYTES)).isEqualTo(Long.BYTES);
        return batch;
    }

    @Test
    void cutAtAnyWordTheWholeBatchesBeforeAreFound() {
        List<Long> ends = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            memory.flush(WORD, 300 * (i + 1));
            memory.fence();
            ends.add(file.end());
        }
        long total = file.end();
        byte[] whole = disk.cache().toArray(ValueLayout.JAVA_BYTE);
        for (long cut = 0; cut < total; cut += Long.BYTES) {
            SimulatedDisk torn = new SimulatedDisk(GEOMETRY.fileBytes());
            torn.fill(MemorySegment.ofArray(whole).asSlice(0, DiskJournalLayout.RING + cut));
            long at = cut;
            long expected = ends.stream().filter(end -> end <= at).max(Long::compare).orElse(0L);
            assertThat(opened(torn).replay(DiskJournalFile.Entries.NONE))
                    .as("cut at %s", cut)
                    .isBetween(expected, total);
        }
    }

    @Test
    void aFlippedBitEndsTheJournalThereAndHarmsNothing() {
        memory.flush(WORD, 1000);
        memory.fence();
        long first = file.end();
        memory.flush(WORD, 1000);
        memory.fence();
        for (long at = 0; at < DiskJournalLayout.RING + file.end(); at++) {
            byte right = disk.cache().get(ValueLayout.JAVA_BYTE, at);
            disk.cache().set(ValueLayout.JAVA_BYTE, at, (byte) (right ^ (1 << (at % 8))));
            long end =
                    DiskJournalFile.open("journal", disk, GEOMETRY.batchBytes())
                            .map(found -> found.replay(DiskJournalFile.Entries.NONE))
                            .orElse(0L);
            assertThat(end).as("flipped at %s", at).isIn(0L, first, file.end());
            disk.cache().set(ValueLayout.JAVA_BYTE, at, right);
        }
    }

    @Test
    void aWholeBatchOfAnotherImageIsRefused() {
        SimulatedDisk on = new SimulatedDisk(GEOMETRY.fileBytes());
        DiskJournalFile small =
                DiskJournalFile.format("the journal", on, GEOMETRY, new byte[32], 7, 1, 8192);
        small.append(batch(1));

        assertThatThrownBy(() -> small.replay(DiskJournalFile.Entries.NONE))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("the journal")
                .hasMessageContaining("nothing was changed");
    }

    // ---- damage between batches

    private void threeBatches() {
        for (int i = 0; i < 3; i++) {
            memory.putLong(WORD, i);
            memory.flush(WORD, 600);
            memory.fence();
        }
    }

    private static JournalHole hole(SimulatedDisk on) {
        DiskJournalFile found = opened(on);
        found.readThrough();
        return found.holeBehind(found);
    }

    private static void flip(SimulatedDisk on, long at) {
        byte was = on.cache().get(ValueLayout.JAVA_BYTE, at);
        on.cache().set(ValueLayout.JAVA_BYTE, at, (byte) (was ^ (1 << (at % 8))));
    }

    /** Each byte of the second of three; the last can't be told from one that a crash has cut. */
    @Test
    void damageOfABatchIsFoundWhereAnotherOneFollows() {
        threeBatches();
        int used = DiskJournalLayout.BATCH_HEADER + DiskJournalLayout.ENTRY_HEADER + 600;
        assertThat(hole(disk)).isNull();
        for (long at = 1024; at < 1024 + used; at++) {
            flip(disk, DiskJournalLayout.RING + at);
            assertThat(hole(disk))
                    .as("byte %s", at)
                    .isEqualTo(
                            new JournalHole("journal", DiskJournalLayout.RING + 1024, 1, 2 * 1024));
            flip(disk, DiskJournalLayout.RING + at);
        }
        for (long at = 2048; at < 2048 + used; at++) {
            flip(disk, DiskJournalLayout.RING + at);
            assertThat(hole(disk)).as("byte %s", at).isNull();
            flip(disk, DiskJournalLayout.RING + at);
        }
    }

    /** Also where what says that nothing more is before the ring's end is damaged. */
    @Test
    void damageIsFoundAroundTheEndOfTheRing() {
        SimulatedDisk on = new SimulatedDisk(GEOMETRY.fileBytes());
        DiskJournalFile file = format(on, 1);
        file.restart(GEOMETRY.ringBytes() - 1024, 2);
        file.append(batch(1));
        JournalBatch large = new JournalBatch(GEOMETRY.batchBytes());
        assertThat(large.append(image, WORD, 600)).isEqualTo(600);
        file.append(large);
        flip(on, DiskJournalLayout.RING + GEOMETRY.ringBytes() - 512);

        assertThat(hole(on))
                .isEqualTo(
                        new JournalHole(
                                "journal",
                                DiskJournalLayout.RING + GEOMETRY.ringBytes() - 512,
                                1,
                                512 + 1024));
    }

    /** The first block of the next is enough: it was begun after the damaged one was durable. */
    @Test
    void aBatchThatACrashHasCutProvesTheOneBefore() {
        threeBatches();
        flip(disk, DiskJournalLayout.RING + 1024 + 100);
        flip(disk, DiskJournalLayout.RING + 2048 + 600);

        assertThat(hole(disk).batches()).isEqualTo(1);
    }

    @Test
    void aDamagedJournalIsRefusedAndNothingIsChanged() {
        threeBatches();
        flip(disk, DiskJournalLayout.RING + 1024 + 100);
        byte[] before = disk.cache().toArray(ValueLayout.JAVA_BYTE);
        byte[] poolBefore = pool.cache().toArray(ValueLayout.JAVA_BYTE);
        JournaledFiles files = files(List.of(pool), List.of(opened(disk)));

        assertThatThrownBy(files::open)
                .isInstanceOf(FarheapException.class)
                .hasMessageStartingWith("journal is damaged: the batch at byte 9216 is not whole")
                .hasMessageContaining("1 batch that was written after it lies behind it")
                .hasMessageEndingWith("nothing was changed");
        assertThat(disk.cache().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
        assertThat(pool.cache().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(poolBefore);

        List<JournalHole> given = new ArrayList<>();
        files(List.of(pool), List.of(opened(disk))).open(given::add);
        assertThat(given).hasSize(1);
        assertThat(pool.cache().get(LONG, WORD)).as("before the damage").isZero();
        assertThat(hole(disk)).as("afterwards").isNull();
    }

    /** Damage in one place of one journal, and in another of the other one. */
    @Test
    void aJournalThatReachesFurtherMakesADamagedOneWhole() {
        threeBatches();
        SimulatedDisk other = new SimulatedDisk(GEOMETRY.fileBytes());
        other.fill(disk.cache());
        SimulatedDisk otherPool = new SimulatedDisk(IMAGE);
        flip(disk, DiskJournalLayout.RING + 1024 + 100);
        files(List.of(pool, otherPool), List.of(opened(disk), opened(other))).open();

        assertThat(pool.cache().get(LONG, WORD)).isEqualTo(2);
        assertThat(otherPool.cache().get(LONG, WORD)).isEqualTo(2);
    }

    @Test
    void whereTheOtherReachesNoFurtherThanTheLaterBatchesItIsRefused() {
        threeBatches();
        SimulatedDisk other = new SimulatedDisk(GEOMETRY.fileBytes());
        other.fill(disk.cache());
        flip(disk, DiskJournalLayout.RING + 1024 + 100);
        flip(other, DiskJournalLayout.RING + 2048 + 100);
        JournaledFiles files =
                files(
                        List.of(pool, new SimulatedDisk(IMAGE)),
                        List.of(opened(disk), opened(other)));

        assertThatThrownBy(files::open).hasMessageContaining("is damaged");
    }

    /** Nobody has the commits that the headers speak of, and the pool must not go on without. */
    @Test
    void aMarkedPoolWithJournalsThatNeverBeganIsRefused() {
        SimulatedDisk fresh = new SimulatedDisk(GEOMETRY.fileBytes());
        DiskJournalFile never =
                DiskJournalFile.format(
                        "journal", fresh, GEOMETRY, new byte[32], DiskJournalFile.NO_ID, 1, IMAGE);
        SimulatedDisk otherPool = new SimulatedDisk(IMAGE);
        byte[] before = pool.cache().toArray(ValueLayout.JAVA_BYTE);
        assertThatThrownBy(() -> files(List.of(pool), List.of(never)).open())
                .hasMessageContaining("is another journal (0)")
                .hasMessageEndingWith("nothing was changed");
        assertThatThrownBy(() -> files(List.of(pool, otherPool), List.of(never, never)).open())
                .hasMessageContaining("is another journal (0)");
        assertThat(pool.cache().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(before);
    }

    /** The pool has grown, and a crash came before its journal was told. */
    @Test
    void aJournalThatBeginsAnewIsForThePoolAsItIs() {
        SimulatedDisk on = new SimulatedDisk(GEOMETRY.fileBytes());
        DiskJournalFile before =
                DiskJournalFile.format("journal", on, GEOMETRY, new byte[32], 7, 1, IMAGE / 2);
        files(List.of(pool), List.of(before), 0).open();
        assertThat(opened(on).imageBytes()).isEqualTo(IMAGE);
    }

    private static JournaledFiles files(List<SimulatedDisk> pools, List<DiskJournalFile> journals) {
        return files(pools, journals, 7);
    }

    private static JournaledFiles files(
            List<SimulatedDisk> pools, List<DiskJournalFile> journals, long mark) {
        JournaledFiles.Mark marked =
                new JournaledFiles.Mark() {
                    @Override
                    public long journalId() {
                        return mark;
                    }

                    @Override
                    public void set(long journalId) {}

                    @Override
                    public void clear() {}
                };
        return new JournaledFiles(pools, journals, marked, () -> 99, IMAGE);
    }

    /** Who looks at the journal of a pool that is open may read behind a batch that comes then. */
    @Test
    void whoLooksWhileOthersWriteSeesNoDamage() {
        threeBatches();
        byte[] whole = disk.cache().toArray(ValueLayout.JAVA_BYTE);
        for (long at = 1024; at < 2048; at += Long.BYTES) {
            disk.cache().set(LONG, DiskJournalLayout.RING + at, 0);
        }
        DiskJournalFile looking = opened(disk);
        looking.readThrough();
        assertThat(looking.holeBehind(looking)).isNotNull();

        MemorySegment.copy(whole, 0, disk.cache(), ValueLayout.JAVA_BYTE, 0, whole.length);
        assertThat(looking.holeBehind(looking)).isNull();
    }

    /**
     * The rule in-order: of two journals one lacks the last batch, which lies behind what says that
     * nothing more is before the ring's end. Made equal it never has the one without the other.
     */
    @Test
    void aCrashWhileJournalsAreMadeEqualDamagesNone() {
        SimulatedDisk further = new SimulatedDisk(GEOMETRY.fileBytes());
        DiskJournalFile first = format(further, 1);
        first.restart(GEOMETRY.ringBytes() - 1024, 2);
        first.append(batch(1));
        SimulatedDisk behind = new SimulatedDisk(GEOMETRY.fileBytes());
        behind.fill(further.cache());
        JournalBatch large = new JournalBatch(GEOMETRY.batchBytes());
        assertThat(large.append(image, WORD, 600)).isEqualTo(600);
        first.append(large);
        DiskJournalFile second = opened(behind);
        second.readThrough();
        first.readThrough();
        Random random = new Random(1);
        int[] crashes = {0};
        behind.beforeEachStep(
                () -> {
                    for (int i = 0; i < 50; i++) {
                        crashes[0]++;
                        assertThat(hole(behind.afterPowerLoss(random))).isNull();
                    }
                });
        first.rewrite(List.of(first, second));

        assertThat(crashes[0]).isGreaterThan(100);
        assertThat(opened(behind).replay(DiskJournalFile.Entries.NONE)).isEqualTo(first.end());
    }
}
