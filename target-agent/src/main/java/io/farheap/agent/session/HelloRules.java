package io.farheap.agent.session;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.replica.ReplicaRemoval;
import io.farheap.agent.store.SlotEvents;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SpokenVersions;
import java.util.Locale;

/**
 * What a hello must be for its sender to have a replica, as far as that is known without a right to
 * it: before anybody's right is ended for it.
 */
final class HelloRules {
    private final Request.Hello request;
    private final ReplicaPaths paths;

    HelloRules(Request.Hello request, ReplicaPaths paths) {
        this.request = request;
        this.paths = paths;
    }

    /**
     * Refuses one of other versions, or from one who is heard of too seldom.
     *
     * @return the version that is spoken: the highest that both know
     */
    static int requireUnderstood(Request.Hello request, AgentConfiguration configuration) {
        SpokenVersions spoken = request.spoken();
        int agreed =
                SpokenVersions.OURS.agreedWith(spoken).orElseThrow(() -> noCommonVersion(spoken));
        if (request.heartbeatMillis() * 2L > configuration.heartbeatMillis()) {
            throw new Refusal(
                    Code.BAD_MESSAGE,
                    "The initiator's heartbeat of "
                            + request.heartbeatMillis()
                            + " ms is too slow for the target's bound of "
                            + configuration.heartbeatMillis()
                            + " ms.",
                    "Make it faster, or raise heartbeat-bound on the target.");
        }
        return agreed;
    }

    private static Refusal noCommonVersion(SpokenVersions program) {
        String advice = SpokenVersions.advice(SpokenVersions.OURS, program);
        return new Refusal(
                Code.BAD_MESSAGE,
                "The program speaks " + program + ", this agent " + SpokenVersions.OURS + ".",
                advice.substring(0, 1).toUpperCase(Locale.ROOT) + advice.substring(1) + ".");
    }

    /** Refuses one whose term is over, or that means to remove another pool. */
    void requireOwnRight() {
        if (request.purpose() == Purpose.REMOVE) {
            requireNamedPool(); // before anybody's right is ended for it
        } else if (request.purpose() == Purpose.RESTORE) {
            ReplicaInspection.slotOf(paths.journal())
                    .ifPresent(slot -> SlotEvents.requireNoRecord(slot, request.term()));
        } else if (mayEndOthers() && isWriter(request.purpose())) {
            ReplicaInspection.slotOf(paths.journal())
                    .ifPresent(
                            slot ->
                                    SlotEvents.requireTerm(
                                            slot, request.term(), request.recordId()));
        }
    }

    /** Who looked at one pool, and removes it then, does not remove one that came meanwhile. */
    void requireNamedPool() {
        if (!request.poolsetUuid().isEmpty()) {
            new ReplicaRemoval(paths).requireOf(ReplicaOpening.uuidOf(request));
        }
    }

    /** Whether it comes with a term, which must not be over. */
    static boolean isWriter(Purpose purpose) {
        return switch (purpose) {
            case ATTACH, RESUME, RETURN -> true;
            default -> false;
        };
    }

    /** Who means another pool ends nobody's session, and its term says nothing of this one. */
    boolean mayEndOthers() {
        return request.takeOver()
                && (request.poolsetUuid().isEmpty()
                        || ReplicaInspection.journalUuid(paths.journal())
                                .map(ReplicaOpening.uuidOf(request)::equals)
                                .orElse(true));
    }
}
