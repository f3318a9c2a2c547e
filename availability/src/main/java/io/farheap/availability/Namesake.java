package io.farheap.availability;

import java.time.Duration;
import java.util.Optional;

/**
 * Whether another machine that is up has this node's name: a copy of this machine, or this one is
 * the copy. What a process before this machine's last start has announced goes within its ttl; what
 * stays is kept alive by somebody. For one thread.
 */
final class Namesake {
    /** A store that gets another leader lets a lease live for a ttl more. */
    private static final int TTLS = 3;

    private final String node;
    private final long boundNanos;
    private Lead seen;
    private long seenSince;
    private long lastLook;
    private boolean lookedAway;
    private Lead certain;

    Namesake(String node, Duration ttl) {
        this.node = node;
        this.boundNanos = ttl.multipliedBy(TTLS).toNanos();
    }

    /** Who is announced under this node's name at this moment, if it is another machine. */
    void look(Optional<Lead> announced, long nowNanos) {
        Lead now = announced.filter(lead -> lead.isElsewhere(node)).orElse(null);
        if (now == null) {
            seen = null;
            return;
        }
        if (seen == null || MachineBoot.differ(seen.machine(), now.machine())) {
            seenSince = nowNanos;
        } else if (lookedAway) {
            seenSince += nowNanos - lastLook;
        }
        lookedAway = false;
        lastLook = nowNanos;
        seen = now;
        if (certain == null && nowNanos - seenSince >= boundNanos) {
            certain = now;
        }
    }

    /**
     * From the last look to the next, a turn was tried: the store may have been away for a part of
     * it, so that time does not count.
     */
    void lookedAway() {
        lookedAway = true;
    }

    /** The store did not answer: what is announced may have been so for no reason but that. */
    void sawNothing() {
        seen = null;
    }

    /**
     * Why this process stands no more, for as long as it lives; empty: it may. It may be the one
     * that is right, and who stands in the moment in which the other's announcement is lost takes
     * the pool from a writer that lives, with a copy of which nobody knows how old it is. That the
     * other one is gone from the store ends nothing, then: only a person sees whether it is gone.
     */
    Optional<String> why() {
        return Optional.ofNullable(certain)
                .map(
                        other ->
                                String.format(
                                        "another machine is up as the node %s, too (%s, and this"
                                                + " one is %s): one of the two has the wrong name,"
                                                + " and their copies may differ, so this program"
                                                + " does not take over any more until it is"
                                                + " started again, even if the other one has gone."
                                                + " farheap ha status shows which machine is"
                                                + " announced: end the program of the one to which"
                                                + " the other nodes' REPLICA lines do not lead, and"
                                                + " start the other's again",
                                        node, other, MachineBoot.HERE));
    }

    /** That another machine waits under this node's name, which may go by itself. */
    String waits(Lead other) {
        return String.format(
                "another machine waits as the node %s, too, or did before this one's last start"
                        + " (%s, and this is %s): that goes within its ttl, or two machines have"
                        + " this node name; farheap ha status shows who is announced",
                node, other, MachineBoot.HERE);
    }
}
