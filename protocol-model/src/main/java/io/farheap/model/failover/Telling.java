package io.farheap.model.failover;

import io.farheap.model.Bits;
import io.farheap.model.Model;
import io.farheap.model.failover.FailoverBounds.Chance;
import java.util.EnumSet;
import java.util.Set;

/**
 * What all events share: the rules that hold, a copy of the state to change, the way to tell what
 * came of it, and what is judged in every state.
 */
final class Telling {
    private static final String CANNOT_TAKE_OVER = "a copy of the recorded set could not take over";

    final FailoverBounds bounds;
    private final boolean[] holds = new boolean[FailoverRule.values().length];
    private final Cluster after = new Cluster();
    private final long[] packed;
    private final long[] before;
    private Model.Events events;
    private boolean wrong;

    Telling(FailoverBounds bounds, Set<FailoverRule> removed, int longs) {
        this.bounds = bounds;
        this.packed = new long[longs];
        this.before = new long[longs];
        for (FailoverRule rule : EnumSet.allOf(FailoverRule.class)) {
            holds[rule.ordinal()] = !removed.contains(rule);
        }
        // Either belt holds without the other: these two are taken away together with it.
        if (removed.contains(FailoverRule.FENCE_DURABLE)
                || removed.contains(FailoverRule.TERM_IN_HELLO)) {
            holds[FailoverRule.ASK_AFTER_START.ordinal()] = false;
        }
    }

    void begin(long[] state, Model.Events newEvents) {
        System.arraycopy(state, 0, before, 0, state.length);
        events = newEvents;
        wrong = false;
    }

    boolean holds(FailoverRule rule) {
        return holds[rule.ordinal()];
    }

    /** The state as it is, to be changed and told: one at a time. */
    Cluster change() {
        after.fields(Bits.reading(before));
        return after;
    }

    Cluster with(Chance chance) {
        Cluster cluster = change();
        cluster.use(chance);
        return cluster;
    }

    /** Tells a state that may be, unless a copy of the set is no good in it. */
    void then(String event, int detail, Cluster cluster) {
        judged(event, detail, cluster, null);
    }

    /**
     * @param why what is wrong; null: nothing
     */
    void judged(String event, int detail, Cluster cluster, String why) {
        if (wrong) {
            return;
        }
        String verdict = why == null && bounds.live() ? verdict(cluster) : why;
        cluster.fields(Bits.writing(packed));
        if (verdict == null) {
            events.then(event, detail, packed);
        } else {
            wrong = true;
            events.wrong(event, detail, packed, verdict);
        }
    }

    private static String verdict(Cluster cluster) {
        for (int node = 0; node < Cluster.NODES; node++) {
            if (Cluster.has(cluster.record.set & ~cluster.gone, node)
                    && !cluster.copies[node].mayBecome(cluster.record.number)) {
                return CANNOT_TAKE_OVER;
            }
        }
        return null;
    }

    // ---- what depends on a rule

    /** The node's agent listens to a writer of this term. */
    boolean listens(Cluster cluster, int node, int term) {
        Cluster.Copy copy = cluster.copies[node];
        return cluster.isIdle(node)
                && copy.term <= term
                && (copy.asked != 0 || !holds(FailoverRule.ASK_AFTER_START));
    }

    /** The store is what nodes know it to be, or nobody looks. */
    boolean trusts(Cluster cluster) {
        return cluster.storeWentBack == 0 || !holds(FailoverRule.STORE_WENT_BACK);
    }

    /** Two nodes, as one detail. */
    static int pair(int node, int other) {
        return node * 10 + other;
    }
}
