package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A thread meets the end of its stack inside a transaction and goes on with its work, as servers
 * do: its next transaction commits, and the pool closes.
 */
class StackOverflowTest {
    private static final int THREADS = 120;

    /** One in so many of them dives; odd, so that all kinds of transactions are met. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 5;

    private static final long STACK_BYTES = 192 << 10;
    private static final long NEXT = 0;
    private static final long NEAR_THE_END = 8;

    @TempDir private Path directory;

    private ObjectPool pool;
    private Ref root;
    private Ref other;

    /** What one thread does as it comes back from the end of its stack. */
    private final class Diver {
        private final int number;
        private boolean done;
        private int overflows;

        Diver(int number) {
            this.number = number;
        }

        /** So that not all threads meet the end in the same place. */
        void dive(int padding) {
            if (padding > 0) {
                dive(padding - 1);
            } else {
                toTheEnd();
            }
        }

        @SuppressWarnings("InfiniteRecursion") // on purpose: the stack's end ends it
        private void toTheEnd() {
            try {
                toTheEnd();
            } catch (StackOverflowError end) {
                overflows++;
            }
            if (!done) {
                try {
                    if (number % 3 == 0) {
                        operations();
                    } else {
                        transaction();
                    }
                    done = true;
                } catch (StackOverflowError again) {
                    overflows++;
                }
            }
        }

        /** What is not within a transaction. */
        private void operations() {
            Ref object = pool.atomic().allocate(64, 5);
            pool.atomic().free(object);
        }

        private void transaction() {
            pool.transaction(
                    tx -> {
                        tx.setLong(root, NEAR_THE_END, number);
                        if (number % 2 != 0) {
                            tx.allocate(64, 5);
                        }
                        if (number % 4 > 1) {
                            tx.snapshot(other, 8L * (number % 64), 8);
                        }
                    });
        }
    }

    @Test
    @Tag("sliced")
    void afterTheEndOfTheStackTheThreadCommitsAndThePoolCloses() throws Exception {
        Path file = directory.resolve("deep.pool");
        Map<String, Integer> after = new TreeMap<>();
        int overflows = 0;
        try (ObjectPool opened = ObjectPool.at(file).layout("deep").size(16 << 20).create()) {
            pool = opened;
            root = pool.root(64);
            other = pool.atomic().allocateZeroed(512, 5);
            for (int i = 0; i < THREADS; i += STRIDE) {
                Diver diver = new Diver(i);
                String[] outcome = new String[1];
                Thread thread =
                        new Thread(
                                null,
                                () -> {
                                    diver.dive(diver.number);
                                    outcome[0] = next(diver.number);
                                },
                                "diver",
                                STACK_BYTES);
                thread.start();
                thread.join();
                after.merge(outcome[0], 1, Integer::sum);
                overflows += diver.overflows;
            }
        }
        assertThat(after)
                .containsOnlyKeys("committed")
                .containsEntry("committed", THREADS / STRIDE);
        assertThat(overflows).as("stacks that ended").isGreaterThan(THREADS / STRIDE);
        assertThat(ObjectPool.check(file).inconsistencies()).isEmpty();
    }

    private String next(int number) {
        try {
            pool.transaction(tx -> tx.setLong(root, NEXT, 1000 + number));
        } catch (FarheapException stuck) {
            return stuck.getMessage();
        }
        long there = pool.getLong(root, NEXT);
        return there == 1000 + number ? "committed" : "returned, and not there";
    }
}
