package io.farheap.simulation.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What {@code synchronized}, wait and notify become: the virtual machine's own monitors wake a
 * virtual thread from a thread of theirs, at a time nobody knows.
 */
public final class SimMonitor {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notified = lock.newCondition();
    private int users;

    private SimMonitor() {}

    /** {@code monitorenter}. */
    public static void enter(Object object) {
        World world = World.current();
        world.point();
        SimMonitor monitor = world.monitors.computeIfAbsent(object, key -> new SimMonitor());
        monitor.users++;
        monitor.lock.lock();
    }

    /** {@code monitorexit}. */
    public static void exit(Object object) {
        World world = World.current();
        SimMonitor monitor = of(world, object);
        monitor.lock.unlock();
        if (--monitor.users == 0) {
            world.monitors.remove(object);
        }
        world.point();
    }

    private static SimMonitor of(World world, Object object) {
        SimMonitor monitor = world.monitors.get(object);
        if (monitor == null) {
            throw new IllegalMonitorStateException("not entered: " + object.getClass());
        }
        return monitor;
    }

    /** {@link Object#wait()}. */
    public static void await(Object object) throws InterruptedException {
        of(World.current(), object).notified.await();
    }

    /** {@link Object#wait(long)}. */
    public static void await(Object object, long millis) throws InterruptedException {
        if (millis == 0) {
            await(object);
        } else {
            Condition condition = of(World.current(), object).notified;
            long unused = SimTime.awaitNanos(condition, TimeUnit.MILLISECONDS.toNanos(millis));
        }
    }

    /** {@link Object#notify()}. */
    public static void wakeOne(Object object) {
        of(World.current(), object).notified.signal();
    }

    /** {@link Object#notifyAll()}. */
    public static void wakeAll(Object object) {
        of(World.current(), object).notified.signalAll();
    }
}
