package io.farheap.testing.inject;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Throws in the middle of instrumented code: at the n-th entry of a method, or the n-th {@code
 * new}, of chosen threads. Once.
 */
public final class Injection {
    private static final AtomicLong LEFT = new AtomicLong();
    private static volatile Predicate<Thread> victims;
    private static volatile Supplier<Throwable> error;
    private static volatile String place;

    private Injection() {}

    /** From now on the calling thread counts, and meets the error at the {@code at}-th call. */
    public static void arm(long at, Supplier<Throwable> wanted) {
        arm(Thread.currentThread(), at, wanted);
    }

    /** From now on a thread counts, and meets the error at the {@code at}-th call. */
    public static void arm(Thread counting, long at, Supplier<Throwable> wanted) {
        arm(counting::equals, at, wanted);
    }

    /**
     * From now on these threads count, and the one that comes to the {@code at}-th call meets it.
     */
    public static void arm(Predicate<Thread> counting, long at, Supplier<Throwable> wanted) {
        LEFT.set(at);
        error = wanted;
        place = null;
        victims = counting;
    }

    /** Counts no more; says where the error was thrown, null when it was not. */
    public static String disarm() {
        victims = null;
        return place;
    }

    /** What instrumented code calls. */
    public static void hit(String where) {
        Predicate<Thread> counting = victims;
        if (counting != null
                && counting.test(Thread.currentThread())
                && LEFT.decrementAndGet() == 0) {
            victims = null;
            place = where;
            throwAny(error.get());
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwAny(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
