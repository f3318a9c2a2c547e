package io.farheap.objects.transaction;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers commits, and knows up to which number all have finished: the watermark, which is what a
 * snapshot begins with. Thread-safe. Not final for tests.
 */
class VersionClock {
    /** More versions than this are never between the watermark and the clock for long. */
    private static final int PLACES = 1 << 12;

    private static final VarHandle FINISHED = MethodHandles.arrayElementVarHandle(long[].class);

    private final AtomicLong last = new AtomicLong();
    private final AtomicLong watermark = new AtomicLong();

    /** At a version's place that version, once it has finished. */
    private final long[] finished = new long[PLACES];

    /** Every version up to it has finished. */
    long watermark() {
        return watermark.get();
    }

    /** The last version given out. */
    final long last() {
        return last.get();
    }

    /** A new version; {@link #finish} must follow, whatever becomes of the commit. */
    long next() {
        return last.incrementAndGet();
    }

    /** The commit is in place, or nothing came of it. */
    void finish(long version) {
        for (int round = 0; version - watermark.get() > PLACES; round++) {
            Pause.next(round); // its place still tells of an older one
        }
        FINISHED.setVolatile(finished, place(version), version);
        long reached = watermark.get();
        while ((long) FINISHED.getVolatile(finished, place(reached + 1)) == reached + 1) {
            reached = watermark.compareAndSet(reached, reached + 1) ? reached + 1 : watermark.get();
        }
    }

    /**
     * Waits until a snapshot begun now sees a version. The commits waited for have their bounds: a
     * version is given out when nothing but the pool's own commit is left to do.
     */
    void awaitFinished(long version) {
        for (int round = 0; watermark() < version; round++) {
            Pause.next(round);
        }
    }

    private static int place(long version) {
        return (int) (version & PLACES - 1);
    }
}
