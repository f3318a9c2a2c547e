package io.farheap.agent;

import io.farheap.layout.PoolUuid;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;

/**
 * Whether a writer's term is over at a copy, by all that is durable there: what the replica has
 * heard, and what the copy's own node has written in (docs/high-availability.md#term-in-hello). Who
 * means another pool is told nothing of this one's.
 */
final class HeardTerm {
    private HeardTerm() {}

    /**
     * Before anything of the copy is opened, ended or replaced; it changes nothing.
     *
     * @throws Refusal TERM_OVER
     */
    static void require(ReplicaPaths paths, Request.Hello request) {
        ReplicaRemoval files = new ReplicaRemoval(paths);
        if (files.isNothingThere() || !isMeant(files, request)) {
            return;
        }
        ReplicaInspection.slotOf(paths.journal())
                .ifPresent(slot -> SlotEvents.requireTerm(slot, request.term()));
        requireKept(paths, request.term());
    }

    private static boolean isMeant(ReplicaRemoval files, Request.Hello request) {
        if (request.poolsetUuid().isEmpty()) {
            return true;
        }
        PoolUuid uuid = ReplicaOpening.uuidOf(request);
        return files.isOf(uuid);
    }

    /**
     * A copy that was never a replica has no slot, and a former writer's has not heard of its own
     * term.
     *
     * @throws Refusal TERM_OVER
     */
    static void requireKept(ReplicaPaths paths, long term) {
        long here = FormerWriter.kept(paths).term();
        if (here > term) {
            throw new Refusal(
                    Code.TERM_OVER,
                    "The term "
                            + term
                            + " of this writer is over: this node has written in term "
                            + here
                            + ".",
                    "Another node has taken the pool over; this one must not write to it.");
        }
    }
}
