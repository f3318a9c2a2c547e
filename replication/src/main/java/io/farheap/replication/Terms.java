package io.farheap.replication;

import io.farheap.FarheapException;

/** What makes one switch of the epoch differ from another: who may take part, and how. */
interface Terms {
    /**
     * Looks at the verdict of one that was reached.
     *
     * @throws FarheapException when it must not take part
     */
    void admit(RemoteCopy copy, Member member);

    /** Brings its content to what it must be in the new epoch; then it is prepared. */
    void bringUp(RemoteCopy copy, Member member, long next);

    /** Whether the switch goes on without one that failed. */
    boolean goesOnWithout(RemoteCopy copy, FarheapException why);
}
