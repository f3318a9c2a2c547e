package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.base.ReplicaStatus.State;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.HdrHistogram.Histogram;

/**
 * A commit while the only replica can't be reached, under the policy degrade, in turns with one of
 * a pool that has none: what the notes of what changed cost.
 */
final class CommitsAlone {
    private static final int BATCH = 20_000;
    private static final int PAGE = 4096;
    private static final int PAGES = 4000;

    private CommitsAlone() {}

    static void run(Site site, int batches) {
        // Both are opened anew: what was just written is mapped, and costs no page fault.
        long here;
        long there;
        try (ObjectPool plain = site.openLocal(false);
                ObjectPool before = site.openBeforeLoss()) {
            here = field(plain);
            there = field(before);
        }
        try (ObjectPool plain = site.openLocal(false);
                ObjectPool alone = site.openAlone()) {
            if (alone.replicas().get(0).state() != State.LOST) {
                throw new IllegalStateException("the replica can be reached");
            }
            Figures.circumstances(Site.waiting(), 1);
            sameObject(plain, alone, batches);
            everyPage(plain, here, alone, there);
        }
    }

    private static long field(ObjectPool pool) {
        return pool.compute(tx -> tx.raw().allocate((long) PAGES * PAGE, 1, true));
    }

    private static void sameObject(ObjectPool plain, ObjectPool alone, int batches) {
        SmallCommit plainCommit = new SmallCommit(plain);
        SmallCommit aloneCommit = new SmallCommit(alone);
        Histogram warmUp = Figures.histogram();
        for (int i = 0; i < 5; i++) {
            commit(plainCommit, warmUp);
            commit(aloneCommit, warmUp);
        }
        Histogram plainTimes = Figures.histogram();
        Histogram aloneTimes = Figures.histogram();
        for (int i = 0; i < batches; i++) {
            commit(plainCommit, plainTimes);
            commit(aloneCommit, aloneTimes);
        }
        Figures.line("64 B transaction, replica away", aloneTimes);
        Figures.line("the same, no replica", plainTimes);
        Figures.ratio("ratio", aloneTimes, plainTimes);
    }

    private static void commit(SmallCommit commit, Histogram times) {
        for (int i = 0; i < BATCH; i++) {
            long begin = System.nanoTime();
            commit.run();
            times.recordValue(System.nanoTime() - begin);
        }
    }

    /** Each commit is the first one in its page: one in 256 is noted durably. */
    private static void everyPage(ObjectPool plain, long here, ObjectPool alone, long there) {
        Histogram plainTimes = Figures.histogram();
        Histogram aloneTimes = Figures.histogram();
        for (int i = 0; i < PAGES; i++) {
            touch(plain, here, i, plainTimes);
            touch(alone, there, i, aloneTimes);
        }
        Figures.line("another 4 KiB each time, replica away", aloneTimes);
        Figures.line("the same, no replica", plainTimes);
        Figures.ratio("ratio", aloneTimes, plainTimes);
    }

    private static void touch(ObjectPool pool, long object, int page, Histogram times) {
        MemorySegment value = Arena.global().allocate(SmallCommit.BYTES);
        long begin = System.nanoTime();
        pool.transaction(
                tx -> tx.raw().writeBytes(object, (long) page * PAGE, value, 0, SmallCommit.BYTES));
        times.recordValue(System.nanoTime() - begin);
    }
}
