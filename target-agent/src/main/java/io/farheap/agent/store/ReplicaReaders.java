package io.farheap.agent.store;

import io.farheap.readers.ReadAdmission;
import java.time.Duration;

/**
 * Those who read the replica on this machine, as the store sees them: whether records may be
 * applied now, and how fresh the image is. The store's lock guards it, but for {@link #heard}.
 */
public final class ReplicaReaders {
    /** Null: nobody can read it. */
    private final ReadAdmission admission;

    /** When the writer was last known to have this replica among its own. */
    private volatile long heard;

    private long fresh;
    private long tailThen;
    private long lookedThen;

    /** All that is acknowledged before {@link #markedAt} lies before it. */
    private long markedTail;

    private long markedAt;
    private boolean over;

    /** Of a replica that nobody can read. */
    public ReplicaReaders() {
        this(null);
    }

    /**
     * Of a replica that programs of this machine can read.
     *
     * @param admission which tells them when they may; null: nobody can read the replica
     */
    public ReplicaReaders(ReadAdmission admission) {
        this.admission = admission;
    }

    /** How long records may have to wait for them. */
    void hold(Duration longest) {
        if (admission != null) {
            admission.hold(longest);
        }
    }

    /** The image is what the writer has committed, and follows it. */
    void open(long number, long sequence, long tail) {
        if (admission == null) {
            return;
        }
        long now = System.nanoTime();
        heard = now;
        tailThen = tail;
        lookedThen = now;
        markedTail = tail;
        markedAt = now;
        note(tail, sequence);
        admission.open(number, sequence);
    }

    /** From here on anything may be stored. */
    void close() {
        if (admission != null && admission.isReadable()) {
            admission.close();
        }
    }

    /** The same; it is a pool of its own. */
    void closePromoted() {
        if (admission != null) {
            admission.closePromoted();
        }
    }

    /** Nothing more is told to anybody. */
    void end(boolean promoted) {
        if (promoted) {
            closePromoted();
        } else {
            close();
        }
        over = true;
    }

    /** Whether records may be applied; {@link #reopen} must follow. */
    boolean tryShut(boolean atOnce) {
        return admission == null || admission.tryShut(atOnce);
    }

    /** They were. */
    void reopen(long number, long sequence) {
        if (admission != null) {
            admission.reopen(number, sequence);
        }
    }

    /**
     * Finds out how fresh the image is.
     *
     * @param tail the last record that is durable here: nothing is acknowledged that is not
     * @param applied the last one in the image
     */
    void look(long tail, long applied) {
        if (admission != null && !over && admission.isReadable()) {
            note(tail, applied);
        }
    }

    private void note(long tail, long applied) {
        long now = System.nanoTime();
        if (tail != tailThen) {
            heard = Math.max(heard, lookedThen); // it came since then
        }
        tailThen = tail;
        lookedThen = now;
        if (applied >= tail) {
            tell(heard);
        } else if (applied >= markedTail) {
            tell(Math.min(markedAt, heard));
            markedTail = tail;
            markedAt = now;
        }
    }

    private void tell(long nanos) {
        if (nanos - fresh > 0 || fresh == 0) {
            fresh = nanos;
            admission.fresh(nanos);
        }
    }

    /** The writer said something. On any thread. */
    void heard() {
        heard = System.nanoTime();
    }

    /** While little happens. */
    void freeDead() {
        if (admission != null && !over) {
            admission.freeDead();
        }
    }
}
