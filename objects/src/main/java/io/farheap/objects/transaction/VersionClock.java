package io.farheap.objects.transaction;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Numbers commits, and knows up to which number all have finished: the watermark, which is what a
 * snapshot begins with. Thread-safe. Not final for tests.
 */
class VersionClock {
    /** More versions than this are never between the watermark and the clock for long. */
    private static final int PLACES = 1 << 12;

    private static final VarHandle FINISHED = MethodHandles.arrayElementVarHandle(long[].class);

    private static final VarHandle LAST = handle("last");
    private static final VarHandle WATERMARK = handle("watermark");

    private volatile long last;
    private volatile long watermark;

    /** At a version's place that version, once it has finished. */
    private final long[] finished;

    VersionClock() {
        this(PLACES);
    }

    /**
     * @param places 0: of a heap without commits
     */
    VersionClock(int places) {
        this.finished = new long[places];
    }

    /** Every version up to it has finished. */
    long watermark() {
        return watermark;
    }

    /** The last version given out. */
    final long last() {
        return last;
    }

    /**
     * Whether no version newer than a snapshot was given out: then bytes loaded before this call
     * are as of the snapshot, whatever they belong to, because a commit takes its version before it
     * stores.
     */
    boolean isLast(long snapshot) {
        VarHandle.loadLoadFence();
        return (long) LAST.getOpaque(this) == snapshot;
    }

    /** A new version; {@link #finish} must follow, whatever becomes of the commit. */
    long next() {
        return (long) LAST.getAndAdd(this, 1L) + 1;
    }

    /** The commit is in place, or nothing came of it. */
    void finish(long version) {
        for (int round = 0; version - watermark > PLACES; round++) {
            Pause.next(round); // its place still tells of an older one
        }
        FINISHED.setVolatile(finished, place(version), version);
        long reached = watermark;
        while ((long) FINISHED.getVolatile(finished, place(reached + 1)) == reached + 1) {
            reached = WATERMARK.compareAndSet(this, reached, reached + 1) ? reached + 1 : watermark;
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

    private static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(VersionClock.class, field, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static int place(long version) {
        return (int) (version & PLACES - 1);
    }
}
