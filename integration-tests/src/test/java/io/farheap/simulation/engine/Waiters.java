package io.farheap.simulation.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Threads that wait for something inside the simulated network. */
public final class Waiters {
    private final List<Thread> waiting = new ArrayList<>();

    /**
     * Waits until {@code condition}, which is looked at after each {@link #wake}; an interrupt is
     * kept and ends nothing.
     *
     * @param nanos the bound
     * @return whether it is so
     */
    public boolean await(BooleanSupplier condition, long nanos) {
        World world = World.current();
        long end = world.now() + nanos;
        boolean interrupted = false;
        while (!condition.getAsBoolean() && world.now() < end) {
            Thread me = Thread.currentThread();
            waiting.add(me);
            interrupted |= Thread.interrupted();
            SimTime.parkNanos(end - world.now());
            waiting.remove(me);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return condition.getAsBoolean();
    }

    /** Something changed. */
    public void wake() {
        List.copyOf(waiting).forEach(LockSupport::unpark);
    }
}
