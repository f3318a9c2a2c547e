package io.farheap.replication.epoch;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Throws in the middle of instrumented code: at the n-th entry of a method, or the n-th {@code
 * new}, of one thread and of those that take a switch's steps for it. Once.
 */
public final class Injection {
    private static final String STEPS = "farheap-replica-";

    private static final AtomicLong LEFT = new AtomicLong();
    private static volatile Thread victim;
    private static volatile Supplier<Throwable> error;
    private static volatile String place;

    private Injection() {}

    /** From now on the calling thread counts, and meets the error at the {@code at}-th call. */
    public static void arm(long at, Supplier<Throwable> wanted) {
        LEFT.set(at);
        error = wanted;
        place = null;
        victim = Thread.currentThread();
    }

    /** Counts no more; says where the error was thrown, null when it was not. */
    public static String disarm() {
        victim = null;
        return place;
    }

    /** What instrumented code calls. */
    public static void hit(String where) {
        Thread counting = victim;
        if (counting != null && counts(counting) && LEFT.decrementAndGet() == 0) {
            victim = null;
            place = where;
            throwAny(error.get());
        }
    }

    private static boolean counts(Thread counting) {
        Thread current = Thread.currentThread();
        return current == counting || current.getName().startsWith(STEPS);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwAny(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
