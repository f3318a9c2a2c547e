package io.farheap.simulation.toys;

import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.Trace;
import io.farheap.simulation.engine.World;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Small programs with known mistakes, rewritten as the product is: each runs in a world of its own
 * and returns the hash of its trace.
 */
public final class Toys {
    private static final long BOUND = 60_000_000_000L;

    private final World world;
    private final Trace trace = new Trace(false);
    private final SimProcess process;
    private final List<Thread> threads = new ArrayList<>();

    private Toys(long seed) {
        world = new World(seed, 4, trace);
        process = new SimProcess(world, new Machine("toy"), "program");
    }

    private void start(Runnable body) {
        threads.add(process.start("toy", body));
    }

    private long finish() {
        world.run(() -> threads.stream().noneMatch(Thread::isAlive), BOUND);
        return trace.hash();
    }

    /** Two threads that take two monitors in two orders. */
    public static long deadlock(long seed) {
        Toys toys = new Toys(seed);
        Object one = new Object();
        Object other = new Object();
        toys.start(() -> takeBoth(one, other));
        toys.start(() -> takeBoth(other, one));
        return toys.finish();
    }

    private static void takeBoth(Object first, Object second) {
        synchronized (first) {
            synchronized (second) {
                Thread.onSpinWait();
            }
        }
    }

    private static final class Mailbox {
        private volatile boolean full;
        private volatile Thread waiter;

        void await() {
            if (!full) {
                waiter = Thread.currentThread(); // too late: who fills it looked before
                LockSupport.park(this);
            }
        }

        void fill() {
            full = true;
            Thread waiting = waiter;
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
        }
    }

    /** A thread that looks first and says that it waits afterwards. */
    public static long lostWakeUp(long seed) {
        Toys toys = new Toys(seed);
        Mailbox mailbox = new Mailbox();
        toys.start(mailbox::await);
        toys.start(mailbox::fill);
        return toys.finish();
    }

    private static final class Counter {
        private final ReentrantLock lock = new ReentrantLock();
        private final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(2);
        private int count;
        private long waited;

        void produce() {
            try {
                for (int i = 0; i < 20; i++) {
                    Thread.sleep(i % 3);
                    queue.put(i);
                    add();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void consume() {
            try {
                while (queue.poll(5, TimeUnit.SECONDS) != null) {
                    add();
                }
                long before = System.nanoTime();
                synchronized (this) {
                    wait(70);
                }
                waited = System.nanoTime() - before;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private void add() {
            lock.lock();
            try {
                count++;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Threads without a mistake, which sleep, wait and time out. */
    public static long correct(long seed) {
        Toys toys = new Toys(seed);
        Counter counter = new Counter();
        toys.start(counter::produce);
        toys.start(counter::produce);
        toys.start(counter::consume);
        long hash = toys.finish();
        long millis = counter.waited / 1_000_000;
        if (counter.count != 80 || millis < 70 || millis > 90) {
            throw new IllegalStateException(counter.count + " items, waited " + millis + " ms");
        }
        return hash;
    }
}
