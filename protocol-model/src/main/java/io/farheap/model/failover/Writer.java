package io.farheap.model.failover;

import io.farheap.model.Bits;
import java.util.Arrays;

/** A node's process that writes, or is about to. In memory: a crash takes it. */
final class Writer {
    // How far it is.
    static final int NONE = 0;

    /** The record names it; its copy still listens to the writer before. */
    static final int NAMED = 1;

    /** Its copy listens to nobody else, and the tail is known. */
    static final int FENCED = 2;

    static final int PREPARING = 3;

    /** Its compare-and-set has no answer. */
    static final int UNANSWERED = 4;

    static final int RECORDED = 5;
    static final int CONFIRMING = 6;

    /** Its admission is open. */
    static final int OPEN = 7;

    static final int DEPOSED = 8;

    int at;
    int term;

    /** Of the record, as it knows it. */
    int version;

    int set;
    int epoch;

    /** Records of the epoch that it has sent. */
    int posted;

    /**
     * Those that it has committed; before admission opens: those that the new epoch begins with.
     */
    int committed;

    // The change of the set that is under way.
    int wanted;
    int number;
    int prepared;
    int confirmed;

    /** A request with this number had no answer. */
    int unsettled;

    /** It has asked the store since its last commit: only without {@code no-lease-as-proof}. */
    int checked;

    /** Records that a member has made durable and answered. */
    final int[] answered = new int[Cluster.NODES];

    /** Answers that have arrived. */
    final int[] heard = new int[Cluster.NODES];

    void fields(Bits bits) {
        at = bits.field(at, 4);
        term = bits.field(term, 3);
        version = bits.field(version, 4);
        set = bits.field(set, Cluster.NODES);
        epoch = bits.field(epoch, 3);
        posted = bits.field(posted, 2);
        committed = bits.field(committed, 2);
        wanted = bits.field(wanted, Cluster.NODES);
        number = bits.field(number, 3);
        prepared = bits.field(prepared, Cluster.NODES);
        confirmed = bits.field(confirmed, Cluster.NODES);
        unsettled = bits.field(unsettled, 1);
        checked = bits.field(checked, 1);
        bits.fields(answered, 2);
        bits.fields(heard, 2);
    }

    void clear() {
        at = term = version = set = epoch = posted = committed = 0;
        wanted = number = prepared = confirmed = unsettled = checked = 0;
        Arrays.fill(answered, 0);
        Arrays.fill(heard, 0);
    }

    void depose() {
        clear();
        at = DEPOSED;
    }

    boolean isAtWork() {
        return at != NONE && at != DEPOSED;
    }

    /** The new epoch is the pool's: nothing of the old one counts any more. */
    void enter() {
        epoch = number;
        set = wanted;
        posted = committed = unsettled = 0;
        Arrays.fill(answered, 0);
        Arrays.fill(heard, 0);
    }
}
