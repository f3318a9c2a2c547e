package io.farheap.replication.stream;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Connection;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Posts what is ready, to every member: all of it as one WRITE (one more where the lap ends) and
 * one durability point, with one doorbell. A thread that comes while another one is posting leaves
 * its record to that. Thread-safe; nobody waits here.
 */
final class BatchPoster {

    /** Up to where everything is ready. */
    static final class Cursor {
        long sequence;
        long position;

        /** Where the last record's trailer is; of no meaning while there is none. */
        long trailer;

        void set(Cursor other) {
            sequence = other.sequence;
            position = other.position;
            trailer = other.trailer;
        }
    }

    /** Told when a member's connection fails while posting. */
    interface FailureListener {
        void failed(AckedPositions replica, FarheapException cause);
    }

    private final StagingRing ring;
    private final InFlightRecords window;
    private final AckedPositions[] replicas;
    private final int batchesInFlight;
    private final FailureListener failures;
    private Runnable onUnsent = () -> {};

    private final ReentrantLock posting = new ReentrantLock();
    private final Cursor posted = new Cursor();
    private final AtomicLong batches = new AtomicLong();
    private volatile long postedSequence;
    private volatile boolean stopped;

    /** What made posting impossible, and is no member's; null while nothing did. */
    private volatile Throwable fault;

    BatchPoster(
            StagingRing ring,
            InFlightRecords window,
            AckedPositions[] replicas,
            int batchesInFlight,
            FailureListener failures) {
        this.ring = ring;
        this.window = window;
        this.replicas = replicas;
        this.batchesInFlight = batchesInFlight;
        this.failures = failures;
    }

    /** Told when one of several members has not taken all of what was posted; before any post. */
    void onUnsent(Runnable listener) {
        onUnsent = listener;
    }

    /** The last sequence number that was posted. */
    long postedSequence() {
        return postedSequence;
    }

    /**
     * Posts what is ready, unless somebody does, or too many batches are unanswered. Once stopped,
     * it is only noted as ready.
     */
    void tryPost() {
        // again after unlocking: who became ready meanwhile has relied on us
        while (window.isReady(postedSequence + 1)
                && (inFlight() < batchesInFlight || stopped)
                && posting.tryLock()) {
            try {
                postReady();
            } finally {
                posting.unlock();
            }
        }
    }

    /**
     * Asks for the members' figures alone, where nothing is in flight that would bring them.
     *
     * @return whether it asked
     */
    boolean askForProgress() {
        if (inFlight() > 0 || stopped || !posting.tryLock()) {
            return false;
        }
        try {
            durabilityPoint(posted.position);
            return true;
        } finally {
            posting.unlock();
        }
    }

    /** Up to where everything is ready, as one look; {@link #tryPost} should follow. */
    void read(Cursor into) {
        posting.lock();
        try {
            into.set(posted);
        } finally {
            posting.unlock();
        }
    }

    /** Nothing more is posted, except what somebody is posting now. */
    void stop() {
        stopped = true;
    }

    /**
     * Nothing more is posted, because of a fault on this side: members may have been left out, and
     * what follows would hide that from them. Whoever waits freezes the stream.
     */
    void fail(Throwable why) {
        fault = why;
        stopped = true;
    }

    /** See {@link #fail}; null while there was none. */
    Throwable fault() {
        return fault;
    }

    /**
     * Sends a member again, over another connection, what its journal lacks: the same bytes, from
     * the same places. One durability point asks for all of it.
     *
     * @param begin position of the first of it
     */
    void resend(AckedPositions replica, StreamMember fresh, long begin) {
        posting.lock();
        try {
            replica.resume(fresh, batches.get() - 1);
            if (!stopped) {
                post(replica, begin);
            }
        } finally {
            posting.unlock();
        }
    }

    /** Returns when nobody is posting. */
    void awaitStopped() {
        posting.lock();
        posting.unlock();
    }

    private long inFlight() {
        long answered = Long.MAX_VALUE;
        for (AckedPositions replica : replicas) {
            answered = Math.min(answered, replica.answers());
        }
        return batches.get() - answered;
    }

    private void postReady() {
        long last = postedSequence;
        // bounded: a slot is not taken again before its record was posted
        while (window.isReady(last + 1)) {
            last++;
        }
        if (last == postedSequence) {
            return;
        }
        long from = posted.position;
        posted.sequence = last;
        posted.position = window.end(last);
        posted.trailer = window.trailer(last);
        if (!stopped) {
            durabilityPoint(from);
        }
        postedSequence = last;
    }

    private void durabilityPoint(long from) {
        batches.getAndIncrement();
        try {
            for (AckedPositions replica : replicas) {
                if (replica.lost() == null) {
                    post(replica, from);
                }
            }
            if (replicas.length > 1 && isAnyUnsent()) {
                onUnsent.run();
            }
        } catch (RuntimeException | Error e) {
            fail(e);
            throw e;
        }
    }

    private boolean isAnyUnsent() {
        boolean unsent = false;
        for (AckedPositions replica : replicas) {
            unsent |= replica.lost() == null && replica.connection().hasUnsent();
        }
        return unsent;
    }

    /** Everything from there on. */
    private void post(AckedPositions replica, long from) {
        try {
            replica.point().post(this, from, posted);
        } catch (FarheapException e) {
            failures.failed(replica, e);
        }
    }

    /** Prepares the WRITE of the records between two positions, at most a lap apart. */
    void write(Connection connection, long from, long to) {
        long lapEnd = ring.lapEnd(from);
        if (to < lapEnd) {
            writeRange(connection, from, to);
            return;
        }
        writeRange(connection, from, ring.lapUsed(lapEnd));
        if (to > lapEnd) {
            writeRange(connection, lapEnd, to);
        }
    }

    private void writeRange(Connection connection, long from, long to) {
        long offset = ring.offset(from);
        connection.write(offset, (int) (to - from), offset);
    }
}
