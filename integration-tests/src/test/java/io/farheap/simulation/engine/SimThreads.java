package io.farheap.simulation.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;

/** What the product's calls that make threads become. */
public final class SimThreads {
    private SimThreads() {}

    /** Stands for {@link Thread.Builder.OfPlatform}, which nobody else may implement. */
    public static final class Builder {
        private String name = "";

        private Builder() {}
    }

    public static Builder ofPlatform() {
        return new Builder();
    }

    public static Builder daemon(Builder builder) {
        return builder;
    }

    public static Builder name(Builder builder, String name) {
        builder.name = name;
        return builder;
    }

    public static Thread unstarted(Builder builder, Runnable body) {
        return make(body, builder.name);
    }

    public static Thread start(Builder builder, Runnable body) {
        Thread thread = make(body, builder.name);
        thread.start();
        return thread;
    }

    public static ThreadFactory factory(Builder builder) {
        return body -> make(body, builder.name);
    }

    /** {@code new Thread(body, name)}. */
    public static Thread make(Runnable body, String name) {
        World world = World.current();
        return world.newThread(world.process(), name, body);
    }

    /** {@link Thread#threadId}: the same for the same seed. */
    public static long threadId(Thread thread) {
        SimThread running = World.current().running();
        return running == null ? 0 : running.number();
    }

    /** {@link Runtime#addShutdownHook}. */
    public static void addShutdownHook(Runtime runtime, Thread hook) {
        World.current().process().shutdownHooks().add(hook);
    }

    /** {@link Runtime#removeShutdownHook}. */
    public static boolean removeShutdownHook(Runtime runtime, Thread hook) {
        return World.current().process().shutdownHooks().remove(hook);
    }

    /** {@link ProcessHandle#pid} of the process that asks. */
    public static long pid(ProcessHandle process) {
        SimProcess running = World.current().process();
        return running == null ? 1 : running.pid();
    }

    /** {@link ProcessHandle#of}: some process, if one of that number lives on this machine. */
    public static Optional<ProcessHandle> processOf(long pid) {
        return World.current().process().machine().processes().stream()
                .filter(process -> process.pid() == pid)
                .findFirst()
                .map(process -> ProcessHandle.current());
    }

    /** {@link Thread#join(Duration)}. */
    public static boolean join(Thread thread, Duration atMost) throws InterruptedException {
        World world = World.current();
        long end = world.now() + atMost.toNanos();
        while (thread.isAlive() && world.now() < end) {
            SimTime.sleep(1);
        }
        return !thread.isAlive();
    }

    /** {@link Thread#join(long)}. */
    public static void join(Thread thread, long millis) throws InterruptedException {
        boolean unused = join(thread, Duration.ofMillis(millis));
    }
}
