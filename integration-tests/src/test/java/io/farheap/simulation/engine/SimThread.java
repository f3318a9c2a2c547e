package io.farheap.simulation.engine;

import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;

/**
 * A thread of a simulated process: one of the JDK's virtual threads, with the world as its
 * scheduler, so that every lock, park and queue of the JDK switches where the world decides.
 *
 * <p>The JDK has no public way to name a scheduler: this needs {@code --add-opens
 * java.base/java.lang=ALL-UNNAMED}, and {@code -Djdk.trackAllThreads=false} so that threads of
 * killed processes, which never end, are collected.
 */
public final class SimThread {
    private static final Constructor<?> VIRTUAL = constructor();

    private final SimProcess process;
    private final String name;
    private final int number;
    private final Thread thread;
    private Runnable continuation;

    SimThread(World world, SimProcess process, String name, int number, Runnable body) {
        this.process = process;
        this.name = name;
        this.number = number;
        Executor scheduler =
                next -> {
                    continuation = next;
                    world.ready(this);
                };
        Runnable guarded =
                () -> {
                    try {
                        body.run();
                    } catch (Throwable e) {
                        world.failed(this, e);
                    }
                };
        try {
            thread = (Thread) VIRTUAL.newInstance(scheduler, name, 0, guarded);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Constructor<?> constructor() {
        try {
            Constructor<?> found =
                    Class.forName("java.lang.VirtualThread")
                            .getDeclaredConstructor(
                                    Executor.class, String.class, int.class, Runnable.class);
            found.setAccessible(true);
            return found;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "this JDK's virtual threads take no scheduler; the simulation needs JDK 25", e);
        }
    }

    /** Runs until it blocks, yields or ends. */
    void proceed() {
        continuation.run();
    }

    /**
     * Whether it is kept by something of the JDK that knows of no simulation: ours never block on
     * monitors, and never wait with a bound.
     */
    boolean isStoppedByTheMachine() {
        Thread.State state = thread.getState();
        return state == Thread.State.BLOCKED || state == Thread.State.TIMED_WAITING;
    }

    boolean isOver() {
        return thread.getState() == Thread.State.TERMINATED;
    }

    /** The process it is of. */
    public SimProcess process() {
        return process;
    }

    /** The same one for the same seed. */
    public int number() {
        return number;
    }

    Thread thread() {
        return thread;
    }

    @Override
    public String toString() {
        return process + "/" + name + "#" + number;
    }
}
