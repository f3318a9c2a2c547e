package io.farheap.agent;

import io.farheap.replication.control.SessionOwner;

/**
 * Who wants the right to a replica.
 *
 * @param name for messages
 * @param owner an agent of an earlier attempt of the same opening is ended
 * @param takeOver whoever has the replica is ended
 */
record LockRequest(String name, SessionOwner owner, boolean takeOver) {

    /** Who comes without an initiator. */
    static LockRequest onTarget(String name, boolean takeOver) {
        return new LockRequest(name, SessionOwner.NONE, takeOver);
    }
}
