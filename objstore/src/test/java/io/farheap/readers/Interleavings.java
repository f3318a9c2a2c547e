package io.farheap.readers;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Runs two programs step by step, in every order that changes from one to the other at most three
 * times before both run to their ends.
 */
final class Interleavings {
    private static final int MOST_STEPS = 200;

    /** What is tried once, from the beginning. */
    interface Trial {
        void first();

        void second();

        /** When both are done. */
        void check(String order);
    }

    private final int[] quotas;
    private final Thread[] threads = new Thread[2];
    private final boolean[] done = new boolean[2];
    private int changes;
    private int left;
    private volatile int turn;
    private volatile Throwable failure;

    private static final ThreadLocal<Integer> ME = new ThreadLocal<>();
    private static final AtomicReference<Interleavings> RUNNING = new AtomicReference<>();

    private Interleavings(int firstTurn, int[] quotas) {
        this.turn = firstTurn;
        this.quotas = quotas;
        this.left = quotas[0];
    }

    /** How many orders were tried. */
    static int explore(Supplier<Trial> trials) {
        int tried = 0;
        for (int first = 0; first < 2; first++) {
            boolean more0 = true;
            for (int a = 0; a < MOST_STEPS && more0; a++) {
                boolean more1 = true;
                for (int b = 1; b < MOST_STEPS && more1; b++) {
                    boolean more2 = true;
                    for (int c = 1; c < MOST_STEPS && more2; c++) {
                        int changes = new Interleavings(first, new int[] {a, b, c}).run(trials);
                        tried++;
                        more2 = changes >= 3;
                        more1 = changes >= 2;
                        more0 = changes >= 1;
                    }
                }
            }
        }
        return tried;
    }

    /** Before whatever the other one may notice or change. */
    static void step() {
        Interleavings running = RUNNING.get();
        Integer me = ME.get();
        if (running != null && me != null) {
            running.step(me);
        }
    }

    private void step(int me) {
        if (left == 0 && changes < quotas.length && !done[1 - me]) {
            changes++;
            left = changes < quotas.length ? quotas[changes] : -1;
            handOver(1 - me);
            await(me);
        }
        left--;
    }

    private void handOver(int other) {
        turn = other;
        LockSupport.unpark(threads[other]);
    }

    private void await(int me) {
        while (turn != me) {
            LockSupport.park(this);
        }
    }

    private int run(Supplier<Trial> trials) {
        Trial trial = trials.get();
        RUNNING.set(this);
        threads[0] = Thread.ofVirtual().unstarted(() -> play(0, trial::first));
        threads[1] = Thread.ofVirtual().unstarted(() -> play(1, trial::second));
        threads[0].start();
        threads[1].start();
        try {
            threads[0].join();
            threads[1].join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } finally {
            RUNNING.set(null);
        }
        if (failure != null) {
            throw new AssertionError(this + ": " + failure, failure);
        }
        trial.check(toString());
        return changes;
    }

    private void play(int me, Runnable program) {
        ME.set(me);
        await(me);
        try {
            program.run();
        } catch (Throwable e) {
            failure = e;
        } finally {
            done[me] = true;
            handOver(1 - me);
        }
    }

    @Override
    public String toString() {
        return "changes after %d, %d, %d steps".formatted(quotas[0], quotas[1], quotas[2]);
    }
}
