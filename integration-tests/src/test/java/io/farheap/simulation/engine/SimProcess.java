package io.farheap.simulation.engine;

import java.util.ArrayList;
import java.util.List;

/** A process of a simulated machine: threads that live, stop and die together. */
public final class SimProcess {
    private final World world;
    private final Machine machine;
    private final String name;
    private final List<SimThread> sleepers = new ArrayList<>();
    private final List<Runnable> atDeath = new ArrayList<>();
    private final List<Thread> shutdownHooks = new ArrayList<>();
    private long pid = 1;
    private boolean dead;
    private boolean terminating;
    private int stops;

    /** A process without threads. */
    public SimProcess(World world, Machine machine, String name) {
        this.world = world;
        this.machine = machine;
        this.name = name;
        machine.processes().add(this);
    }

    /** Its number; 1 where nobody looks. */
    public long pid() {
        return pid;
    }

    public void setPid(long number) {
        pid = number;
    }

    /** Where it runs. */
    public Machine machine() {
        return machine;
    }

    /** Starts a thread of it. */
    public Thread start(String threadName, Runnable body) {
        Thread thread = world.newThread(this, threadName, body);
        thread.start();
        return thread;
    }

    /** It was killed, or it ended. */
    public boolean isDead() {
        return dead;
    }

    boolean isStopped() {
        return stops > 0;
    }

    List<SimThread> sleepers() {
        return sleepers;
    }

    List<Thread> shutdownHooks() {
        return shutdownHooks;
    }

    /** Runs when it dies, whatever kills it: what the kernel does for it. */
    public void atDeath(Runnable action) {
        atDeath.add(action);
    }

    /**
     * None of its threads takes another step: killed, or its main thread has returned. When a
     * thread of its own does this, it must call {@link #vanish} next.
     */
    public void kill() {
        if (!dead) {
            world.note("dies: " + this);
            dead = true;
            machine.processes().remove(this);
            List<Runnable> last = List.copyOf(atDeath);
            atDeath.clear();
            last.forEach(Runnable::run);
            sleepers.clear();
            shutdownHooks.clear();
        }
    }

    /** Asks it to end: its shutdown hooks run, once, and then it dies. */
    public void terminate() {
        if (!dead && !terminating) {
            terminating = true;
            Thread last =
                    world.newThread(
                            this,
                            "shutdown",
                            () -> {
                                List<Thread> hooks = List.copyOf(shutdownHooks);
                                hooks.forEach(Thread::start);
                                try {
                                    for (Thread hook : hooks) {
                                        hook.join();
                                    }
                                } catch (InterruptedException e) {
                                    throw new IllegalStateException(e);
                                }
                                kill();
                                vanish();
                            });
            last.start();
        }
    }

    /** The running thread's process is dead: it goes no further. */
    public static void vanish() {
        while (true) {
            java.util.concurrent.locks.LockSupport.park();
        }
    }

    /** It takes no step until {@link #resume}; its timers run on. */
    public void stop() {
        world.note("stops: " + this);
        stops++;
    }

    /** It goes on, if nobody else has stopped it. */
    public void resume() {
        if (--stops == 0) {
            world.note("goes on: " + this);
            world.awaken(sleepers);
            sleepers.clear();
        }
    }

    @Override
    public String toString() {
        return machine.name() + "." + name;
    }
}
