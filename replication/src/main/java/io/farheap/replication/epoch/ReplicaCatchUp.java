package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.Request;
import io.farheap.replication.session.ReplicaSession;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The way back of one replica that was left out: it is looked for with growing pauses, and copied
 * once it is found. Reaching it may take long, so that is a thread of its own; all else is the
 * monitor's.
 */
final class ReplicaCatchUp {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

    /** Longest pauses after which one is asked again that a person must look at. */
    private static final int REFUSED_PAUSES = 15;

    private final ReplicaTracker copy;
    private final EpochSwitch switching;
    private final Duration longestPause;
    private final Runnable wake;
    private Duration pause = FIRST_PAUSE;
    private long dueNanos = System.nanoTime();
    private CompletableFuture<ReplicaSession> attempt;
    private volatile OnlineCopy copying;

    /**
     * @param wake called when an attempt to reach it has ended
     */
    ReplicaCatchUp(
            ReplicaTracker copy, EpochSwitch switching, Duration longestPause, Runnable wake) {
        this.copy = copy;
        this.switching = switching;
        this.longestPause = longestPause;
        this.wake = wake;
    }

    ReplicaTracker copy() {
        return copy;
    }

    /** The copy under way; null while there is none. */
    OnlineCopy copying() {
        return copying;
    }

    void begin(OnlineCopy begun) {
        copying = begun;
        dueNanos = System.nanoTime();
    }

    /** What was copied has not had its time yet. */
    void rest(long nanos) {
        dueNanos = System.nanoTime() + nanos;
    }

    /** It could not join now: commits go on for a while before it is tried again. */
    void putOff() {
        dueNanos = System.nanoTime() + longestPause.toNanos();
    }

    /** Nanoseconds until there may be something to do; 0: now. */
    long nanosToWait() {
        if (attempt != null) {
            return attempt.isDone() ? 0 : Long.MAX_VALUE;
        }
        return Math.max(0, dueNanos - System.nanoTime());
    }

    /** Whether nobody is asked at the moment. */
    boolean isIdle() {
        return attempt == null;
    }

    /** Begins to reach it. */
    void startAttempt() {
        Request.Hello hello = switching.helloTo(copy);
        CompletableFuture<ReplicaSession> found = new CompletableFuture<>();
        attempt = found;
        Thread.ofPlatform()
                .daemon()
                .name("farheap-catch-up-" + copy.index())
                .start(
                        () -> {
                            try {
                                found.complete(switching.greetings().reachToCopy(copy, hello));
                            } catch (InterruptedException | RuntimeException | Error e) {
                                found.completeExceptionally(e);
                            }
                            wake.run();
                        });
    }

    /**
     * The member that was reached; only when that has ended.
     *
     * @throws FarheapException when it was not
     */
    ReplicaSession reached() {
        CompletableFuture<ReplicaSession> ended = attempt;
        attempt = null;
        try {
            return ended.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof FarheapException why) {
                throw why;
            }
            throw copy.fault("the attempt to reach it failed by a fault: " + e.getCause());
        }
    }

    /**
     * It did not work: again later, and later each time.
     *
     * @param refused a person has to do something first
     */
    void failed(boolean refused) {
        copying = null;
        Duration wait = refused ? longestPause.multipliedBy(REFUSED_PAUSES) : pause;
        dueNanos = System.nanoTime() + wait.toNanos();
        pause = pause.multipliedBy(2);
        pause = pause.compareTo(longestPause) > 0 ? longestPause : pause;
    }

    /** It is a member again. */
    void joined() {
        copying = null;
        pause = FIRST_PAUSE;
        dueNanos = System.nanoTime();
    }

    /** Nobody waits for what is still being reached: its connection is ended when it comes. */
    void cancel() {
        if (attempt != null) {
            CompletableFuture<Void> unused = attempt.thenAccept(ReplicaSession::abandon);
        }
    }
}
