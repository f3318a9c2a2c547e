package io.farheap.inject;

import java.util.function.Supplier;

/**
 * Throws in the middle of instrumented code: at the n-th entry of a method, or the n-th {@code
 * new}, of one thread. Once.
 */
public final class Injection {
    private static volatile Thread victim;
    private static long left;
    private static Supplier<Throwable> error;
    private static volatile String place;

    private Injection() {}

    /** From now on the calling thread counts, and meets the error at the {@code at}-th call. */
    public static void arm(long at, Supplier<Throwable> wanted) {
        arm(Thread.currentThread(), at, wanted);
    }

    /** From now on a thread counts, and meets the error at the {@code at}-th call. */
    public static void arm(Thread counting, long at, Supplier<Throwable> wanted) {
        left = at;
        error = wanted;
        place = null;
        victim = counting;
    }

    /** Counts no more; says where the error was thrown, null when it was not. */
    public static String disarm() {
        victim = null;
        return place;
    }

    /** What instrumented code calls. */
    public static void hit(String where) {
        if (Thread.currentThread() == victim && --left == 0) {
            victim = null;
            place = where;
            throwAny(error.get());
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwAny(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
