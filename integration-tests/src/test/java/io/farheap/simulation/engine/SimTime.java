package io.farheap.simulation.engine;

import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

/** What the product's calls that read a clock or wait for one become. */
public final class SimTime {
    private static final long NANOS_TO_READ_THE_CLOCK = 25;
    private static final int LONGEST_SPIN = 2_000;

    private SimTime() {}

    /** Waiting that an interrupt ends. */
    private interface Wait<T, E extends Exception> {
        T perform() throws InterruptedException, E;
    }

    /** {@link System#nanoTime}: each machine's begins somewhere else. */
    public static long nanoTime() {
        World world = World.current();
        world.pass(NANOS_TO_READ_THE_CLOCK);
        SimProcess process = world.process();
        return world.now() + (process == null ? 0 : process.machine().clockOffset());
    }

    /** {@link System#currentTimeMillis}: each machine's may jump. */
    public static long currentTimeMillis() {
        World world = World.current();
        SimProcess process = world.process();
        return world.now() / 1_000_000 + (process == null ? 0 : process.machine().wallOffset());
    }

    /** {@link java.time.Instant#now}. */
    public static Instant instant() {
        return Instant.ofEpochMilli(currentTimeMillis());
    }

    /** A point at which another thread may take over; of what is made before a history none is. */
    public static void point() {
        World world = World.current();
        if (world != null) {
            world.point();
        }
    }

    /** {@link Thread#sleep(long)}. */
    public static void sleep(long millis) throws InterruptedException {
        sleepNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** {@link Thread#sleep(java.time.Duration)}. */
    public static void sleep(java.time.Duration duration) throws InterruptedException {
        sleepNanos(duration.toNanos());
    }

    /** {@link TimeUnit#sleep}. */
    public static void sleep(TimeUnit unit, long time) throws InterruptedException {
        sleepNanos(unit.toNanos(time));
    }

    private static void sleepNanos(long nanos) throws InterruptedException {
        World world = World.current();
        for (long end = world.now() + nanos; world.now() < end; ) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            parkNanos(end - world.now());
        }
    }

    /** {@link Thread#onSpinWait}, and what {@link Thread#yield} is on a busy machine. */
    public static void spin() {
        World world = World.current();
        if (world.running() == null) {
            throw new IllegalStateException("a spin for something that no thread will do");
        }
        boolean interrupted = Thread.interrupted();
        parkNanos(1 + world.random().nextInt(LONGEST_SPIN));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@link LockSupport#parkNanos(long)}. */
    public static void parkNanos(long nanos) {
        if (nanos > 0) {
            Thread me = Thread.currentThread();
            Timer timer = World.current().after(nanos, () -> LockSupport.unpark(me));
            LockSupport.park();
            timer.cancel();
        }
    }

    /** {@link LockSupport#parkNanos(Object, long)}. */
    public static void parkNanos(Object blocker, long nanos) {
        parkNanos(nanos);
    }

    /** {@link Condition#awaitNanos}. */
    public static long awaitNanos(Condition condition, long nanos) throws InterruptedException {
        if (nanos <= 0) {
            return 0;
        }
        World world = World.current();
        long end = world.now() + nanos;
        Wait<Boolean, RuntimeException> wait =
                () -> {
                    condition.await();
                    return true;
                };
        return within(nanos, wait, false) ? Math.max(end - world.now(), 1) : 0;
    }

    /** {@link BlockingQueue#poll(long, TimeUnit)}. */
    public static Object poll(BlockingQueue<?> queue, long time, TimeUnit unit)
            throws InterruptedException {
        Object there = queue.poll();
        return there != null || time <= 0
                ? there
                : SimTime.<Object, RuntimeException>within(unit.toNanos(time), queue::take, null);
    }

    /** {@link Lock#tryLock(long, TimeUnit)}: of the JDK's locks, or our own ones'. */
    public static boolean tryLock(Lock lock, long time, TimeUnit unit) throws InterruptedException {
        if (!lock.getClass().getName().startsWith("java.")) {
            return lock.tryLock(time, unit);
        }
        if (lock.tryLock()) {
            return true;
        }
        if (time <= 0) {
            return false;
        }
        Wait<Boolean, RuntimeException> wait =
                () -> {
                    lock.lockInterruptibly();
                    return true;
                };
        return within(unit.toNanos(time), wait, false);
    }

    /** {@link Future#get(long, TimeUnit)}. */
    public static Object get(Future<?> future, long time, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        Object late = new Object();
        Wait<Object, ExecutionException> wait = future::get;
        Object result = within(unit.toNanos(time), wait, late);
        if (result == late) {
            throw new TimeoutException();
        }
        return result;
    }

    /** {@link CountDownLatch#await(long, TimeUnit)}. */
    public static boolean await(CountDownLatch latch, long time, TimeUnit unit)
            throws InterruptedException {
        if (latch.getCount() == 0 || time <= 0) {
            return latch.getCount() == 0;
        }
        Wait<Boolean, RuntimeException> wait =
                () -> {
                    latch.await();
                    return true;
                };
        return within(unit.toNanos(time), wait, false);
    }

    /** Waits without a bound, and has a timer interrupt that. */
    private static <T, E extends Exception> T within(long nanos, Wait<T, E> wait, T late)
            throws InterruptedException, E {
        Thread me = Thread.currentThread();
        boolean[] over = {false};
        Timer timer =
                World.current()
                        .after(
                                nanos,
                                () -> {
                                    over[0] = true;
                                    me.interrupt();
                                });
        try {
            return wait.perform();
        } catch (InterruptedException e) {
            if (!over[0]) {
                throw e;
            }
            return late;
        } finally {
            timer.cancel();
            if (over[0]) {
                boolean unused = Thread.interrupted();
            }
        }
    }
}
