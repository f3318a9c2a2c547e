package io.farheap.agent.lock;

import io.farheap.replication.control.SessionOwner;

/**
 * Who wants the right to a replica.
 *
 * @param name for messages
 * @param owner an agent of an earlier attempt of the same opening is ended
 * @param takeOver whoever has the replica is ended
 * @param isRecorded it writes a pool under automatic fail-over, which no command takes over
 * @param neighbours other sessions of this process, one of which may have it
 */
public record LockRequest(
        String name,
        SessionOwner owner,
        boolean takeOver,
        boolean isRecorded,
        Neighbours neighbours) {

    /** Who has a process of its own. */
    LockRequest(String name, SessionOwner owner, boolean takeOver) {
        this(name, owner, takeOver, false, Neighbours.NONE);
    }

    /** Who comes without an initiator. */
    public static LockRequest onTarget(String name, boolean takeOver) {
        return new LockRequest(name, SessionOwner.NONE, takeOver);
    }
}
