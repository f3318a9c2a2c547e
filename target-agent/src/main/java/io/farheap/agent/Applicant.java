package io.farheap.agent;

import io.farheap.replication.control.Claim;

/**
 * Who wants the right to a replica.
 *
 * @param name for messages
 * @param claim an agent of an earlier attempt of the same opening is ended
 * @param takeOver whoever has the replica is ended
 */
record Applicant(String name, Claim claim, boolean takeOver) {

    /** Who comes without an initiator. */
    static Applicant onTarget(String name, boolean takeOver) {
        return new Applicant(name, Claim.NONE, takeOver);
    }
}
