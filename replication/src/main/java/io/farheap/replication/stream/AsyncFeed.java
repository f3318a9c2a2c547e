package io.farheap.replication.stream;

import io.farheap.base.FarheapException;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that posts a stream's records to one member that commits don't wait for, and takes its
 * answers: nobody else touches its connection. It looks twice a millisecond while records come, so
 * that a commit pays nothing for it, and sleeps until it is woken when none came for a while.
 *
 * <p>It goes on after the stream was frozen for another member's sake: what is decided by then this
 * one is to get, too.
 */
public final class AsyncFeed implements Runnable {
    private static final long LOOK_NANOS = 500_000;
    private static final int LOOKS_BEFORE_SLEEP = 100;

    /** How often it asks what was applied while it has nothing to post. */
    private static final long ASK_NANOS = 20_000_000;

    private final AckedPositions replica;
    private final StagingRing ring;
    private final BatchPoster poster;
    private final LagBound bound;
    private final BatchPoster.FailureListener failures;
    private final Thread thread;

    // The feed's own.
    private final BatchPoster.Cursor posted = new BatchPoster.Cursor();
    private final BatchPoster.Cursor ready = new BatchPoster.Cursor();
    private final long[] sequences;
    private final long[] ends;
    private final long[] since;
    private long batches;
    private long answered;
    private long lookNanos = System.nanoTime();

    /** Since when the oldest record may be there that is not posted. */
    private long waitingSince = lookNanos;

    private long askedNanos = lookNanos;

    /** Position up to which the member has everything durably. */
    private volatile long durablePosition;

    /** Since when the oldest record may be there that the member has not; while there is one. */
    private volatile long behindSince = lookNanos;

    private volatile boolean asleep;
    private volatile boolean roomWanted;
    private volatile boolean stopped;
    private volatile boolean failed;

    AsyncFeed(
            AckedPositions replica,
            StagingRing ring,
            BatchPoster poster,
            StreamSettings settings,
            BatchPoster.FailureListener failures) {
        this.replica = replica;
        this.ring = ring;
        this.poster = poster;
        this.bound = settings.lag();
        this.failures = failures;
        this.sequences = new long[settings.batchesInFlight()];
        this.ends = new long[settings.batchesInFlight()];
        this.since = new long[settings.batchesInFlight()];
        this.thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("farheap-async-" + replica.name())
                        .unstarted(this);
    }

    void start() {
        thread.start();
    }

    public AckedPositions replica() {
        return replica;
    }

    /** There may be records. Cheap while the thread is not asleep. */
    void wake() {
        if (asleep) {
            behindSince = System.nanoTime();
            asleep = false;
            LockSupport.unpark(thread);
        }
    }

    /** Somebody waits for the member to apply. */
    void wantRoom() {
        roomWanted = true;
        LockSupport.unpark(thread);
    }

    /** Whether it still posts: neither its connection failed nor was it stopped. */
    boolean isAlive() {
        return !failed && !stopped;
    }

    /** Bytes of records that the member has not. */
    public long lagBytes() {
        return Math.max(0, ring.position() - durablePosition);
    }

    /**
     * How long the oldest record has been here that the member has not. While the feed sleeps there
     * was none until just now.
     */
    public long lagNanos() {
        return asleep || replica.durableSequence() >= ring.lastSequence()
                ? 0
                : Math.max(0, System.nanoTime() - behindSince);
    }

    /** Position up to which records may be claimed before the member has more of them. */
    long limit(long span) {
        if (failed) {
            return Long.MAX_VALUE; // it is out of the next epoch
        }
        if (lagNanos() > bound.time().toNanos()) {
            return 0;
        }
        return durablePosition + Math.max(bound.bytes(), span);
    }

    @Override
    public void run() {
        int idle = 0;
        try {
            while (!stopped) {
                long now = System.nanoTime();
                poster.read(ready);
                poster.tryPost(); // who was turned away meanwhile has relied on us
                boolean worked = post();
                lookNanos = now;
                if (ready.sequence == posted.sequence) {
                    waitingSince = now;
                }
                if (batches > answered) {
                    worked |= replica.connection().await(replica, LOOK_NANOS, true) > 0;
                    learn();
                } else {
                    behindSince = lookNanos;
                    worked |= ask();
                }
                idle = worked ? 0 : idle + 1;
                if (!worked) {
                    rest(idle);
                }
            }
        } catch (FarheapException e) {
            fail(e);
        } catch (RuntimeException | Error e) {
            fail(FarheapException.replica(e, "posting to it failed by a fault: %s", e));
        }
    }

    private void fail(FarheapException why) {
        replica.connection().close();
        if (!stopped) {
            failures.failed(replica, why);
        }
        failed = true; // only now: until the stream is frozen the bounds hold
    }

    private boolean post() {
        if (ready.sequence == posted.sequence || batches - answered == sequences.length) {
            return false;
        }
        int slot = (int) (batches % sequences.length);
        sequences[slot] = ready.sequence;
        ends[slot] = ready.position;
        since[slot] = waitingSince;
        long from = posted.position;
        posted.set(ready);
        durabilityPoint(from);
        return true;
    }

    private void durabilityPoint(long from) {
        replica.point().post(poster, from, posted);
        if (batches == answered) {
            behindSince = since[(int) (batches % sequences.length)];
        }
        batches++;
    }

    private void learn() {
        long durable = replica.durableSequence();
        while (answered < replica.answers()
                && sequences[(int) (answered % sequences.length)] <= durable) {
            durablePosition = ends[(int) (answered % sequences.length)];
            answered++;
        }
        if (answered < batches) {
            behindSince = since[(int) (answered % sequences.length)];
        }
    }

    /** What was applied frees the ring, and is only told in answers. */
    private boolean ask() {
        boolean behind = replica.appliedSequence() < posted.sequence;
        if (!behind || !roomWanted && lookNanos - askedNanos < ASK_NANOS) {
            return false;
        }
        roomWanted = false;
        askedNanos = lookNanos;
        int slot = (int) (batches % sequences.length);
        sequences[slot] = posted.sequence;
        ends[slot] = posted.position;
        since[slot] = lookNanos;
        durabilityPoint(posted.position);
        return true;
    }

    private void rest(int idle) {
        boolean settled = replica.appliedSequence() == ring.lastSequence();
        if (idle < LOOKS_BEFORE_SLEEP || !settled) {
            LockSupport.parkNanos(this, LOOK_NANOS);
            return;
        }
        asleep = true;
        // Who claims after this look finds us asleep, and wakes us.
        if (!stopped && ring.lastSequence() == posted.sequence) {
            LockSupport.park(this);
        }
        lookNanos = System.nanoTime();
        waitingSince = lookNanos;
        if (asleep) { // nobody has woken it for a record
            behindSince = lookNanos;
            asleep = false;
        }
    }

    /** It is lost: it holds nobody up any more. */
    void giveUp() {
        failed = true;
        replica.connection().close();
    }

    /** Nothing is posted any more. */
    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    /** Returns when the thread has ended; its connection is closed, so that it does. */
    void awaitStopped() {
        boolean interrupted = false;
        while (thread.isAlive() && thread != Thread.currentThread()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
