package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import io.farheap.base.Ref;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that commits as fast as it can, in several threads, until it is killed; and what such a
 * pool must look like at any commit boundary. Each thread counts its commits in an object of its
 * own, in which the n-th stores n at a place that n tells, and at times it replaces another object.
 */
final class BackedUpProgram {
    static final int THREADS = 3;
    private static final long SIZE = 48 << 20;
    private static final int WORDS = 1 << 16;
    private static final int FIRST_WORD = 8;
    private static final long BASE = 0;
    private static final long OBJECTS = 16;
    private static final long REF_BYTES = 16;
    private static final long COUNT = 0;
    private static final long SIDE = 16;
    private static final long SIDE_LENGTH = 32;
    private static final int SIDES = 8;

    private BackedUpProgram() {}

    /** args: the pool. Prints "ready" once it commits. */
    public static void main(String[] args) throws Exception {
        ObjectPool pool =
                ObjectPool.at(Path.of(args[0])).layout("backed-up").size(SIZE).openOrCreate();
        Ref root = pool.root(OBJECTS + THREADS * REF_BYTES);
        if (pool.getRef(root, OBJECTS).isNull()) {
            pool.transaction(
                    tx -> {
                        for (int i = 0; i < THREADS; i++) {
                            Ref object = tx.allocateZeroed((long) WORDS * Long.BYTES, 1);
                            tx.setRef(root, OBJECTS + i * REF_BYTES, object);
                        }
                    });
        }
        long sum = 0;
        for (int i = 0; i < THREADS; i++) {
            sum += pool.getLong(pool.getRef(root, OBJECTS + i * REF_BYTES), COUNT);
        }
        PoolCounters counters = pool.counters();
        pool.setLong(root, BASE, counters.commits() + 1 - sum);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Ref object = pool.getRef(root, OBJECTS + i * REF_BYTES);
            threads.add(Thread.ofPlatform().start(() -> commitForEver(pool, object)));
        }
        System.out.println("ready");
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void commitForEver(ObjectPool pool, Ref object) {
        while (true) {
            pool.transaction(
                    tx -> {
                        long n = tx.getLong(object, COUNT) + 1;
                        tx.setLong(object, place(n), n);
                        if (n % SIDES == 0) {
                            Ref before = tx.getRef(object, SIDE);
                            if (!before.isNull()) {
                                tx.free(before);
                            }
                            long length = 64 + n % 5000;
                            Ref side = tx.allocate(length, 2);
                            tx.fill(side, 0, length, (byte) n);
                            tx.setRef(object, SIDE, side);
                            tx.setLong(object, SIDE_LENGTH, length);
                        }
                        tx.setLong(object, COUNT, n);
                    });
        }
    }

    private static long place(long n) {
        long mixed = (n * 0x9E3779B97F4A7C15L) >>> 20;
        return (FIRST_WORD + mixed % (WORDS - FIRST_WORD)) * Long.BYTES;
    }

    /** Requires that a pool has exactly so many commits of the program's run. */
    static void requireExactly(Path path, long commits) {
        assertThat(requireWhole(path)).isEqualTo(commits);
    }

    /**
     * Requires that no commit is half there.
     *
     * @return how many there are of the program's run
     */
    static long requireWhole(Path path) {
        try (ObjectPool pool = ObjectPool.open(path, "backed-up")) {
            Ref root = pool.root(OBJECTS + THREADS * REF_BYTES);
            long commits = pool.getLong(root, BASE);
            for (int i = 0; i < THREADS; i++) {
                Ref object = pool.getRef(root, OBJECTS + i * REF_BYTES);
                long count = pool.getLong(object, COUNT);
                requireCommits(pool, object, count);
                commits += count;
            }
            return commits;
        }
    }

    private static void requireCommits(ObjectPool pool, Ref object, long count) {
        long[] words = new long[WORDS];
        for (long n = 1; n <= count; n++) {
            words[(int) (place(n) / Long.BYTES)] = n;
        }
        for (int i = FIRST_WORD; i < WORDS; i++) {
            assertThat(pool.getLong(object, (long) i * Long.BYTES)).isEqualTo(words[i]);
        }
        long last = count - count % SIDES;
        if (last > 0) {
            Ref side = pool.getRef(object, SIDE);
            long length = pool.getLong(object, SIDE_LENGTH);
            assertThat(length).isEqualTo(64 + last % 5000);
            for (long at = 0; at < length; at++) {
                assertThat(pool.getByte(side, at)).isEqualTo((byte) last);
            }
        }
    }
}
