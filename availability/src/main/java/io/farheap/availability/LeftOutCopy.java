package io.farheap.availability;

import io.farheap.agent.Promotion;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.SlotReport;
import java.nio.file.Path;
import java.util.SortedSet;

/**
 * Whether a node's copy counts for nothing, so that its files may be moved aside: another node
 * writes, the record does not name this one, and neither does anything speak for the copy's being
 * one of the set by another name, or of another pool.
 */
final class LeftOutCopy {
    private final Coordinator store;
    private final PoolKeys keys;
    private final String node;
    private final Promotion copy;

    LeftOutCopy(Coordinator store, PoolKeys keys, String node, Path poolset) {
        this.store = store;
        this.keys = keys;
        this.node = node;
        copy = Promotion.of(poolset);
    }

    /**
     * @param found where the store has the record now
     * @param now that record
     * @param lead who is announced as the writer; null: nobody
     * @param isUnproven whether somebody says that the copy is of this pool
     * @throws FarheapException WRONG_USE where it may count
     */
    void require(Versioned found, ClusterRecord now, Lead lead, boolean isUnproven) {
        TermFile kept = TermFile.beside(copy.firstPart());
        requireStore(found, kept);
        requireWriter(now, lead);
        if (now.set().contains(node)) {
            throw refused(
                    "the record names %s: commits wait for its copy, which may have to take over. A"
                            + " copy that is damaged leaves the set when its agent is ended, where"
                            + " there are enough others",
                    node);
        }
        SortedSet<String> lines = lead.turn().nodes();
        if (!lines.isEmpty() && !lines.contains(node)) {
            throw refused(
                    "no REPLICA line of %s leads to %s, so nobody would make its copy anew: the"
                            + " copies are those on %s",
                    now.writer(), node, String.join(", ", lines));
        }
        if (store.present(keys.waiting(node)).isPresent()) {
            throw refused(
                    "a program waits on %s for its turn: end it first, and start it again when the"
                            + " set has %s",
                    node, node);
        }
        SlotReport slot = copy.look().slot();
        requireNotLater(now, kept, slot);
        requireOther(now, kept, slot, isUnproven);
    }

    /** Of an older state of the store nothing follows. */
    private void requireStore(Versioned found, TermFile kept) {
        StoreStamp stamp = found.stamp();
        if (found.hasLostItsStore()) {
            throw refused(
                    "the store has the record and no identity any more: how old it is nobody knows");
        }
        StoreStamp seen = kept.newest().orElse(stamp);
        if (!stamp.follows(seen)) {
            throw refused(
                    "the store is another or an older one than this node has seen (%s, revision %d,"
                            + " after %s, revision %d)",
                    stamp.identity(), stamp.revision(), seen.identity(), seen.revision());
        }
    }

    private void requireWriter(ClusterRecord now, Lead lead) {
        if (lead == null || lead.term() != now.term() || !lead.node().equals(now.writer())) {
            throw refused(
                    "nobody is announced as the writer now, so whether another copy has what this"
                            + " one has is not known; the record names %s",
                    String.join(", ", now.set()));
        }
        if (lead.node().equals(node)) {
            throw refused("%s writes the pool", node);
        }
    }

    /** What the copy or the node has heard of the record's later terms tells of an older store. */
    private void requireNotLater(ClusterRecord now, TermFile kept, SlotReport slot) {
        long heard =
                Math.max(
                        kept.recordId() == now.id() ? kept.term() : 0,
                        slot != null && slot.recordId() == now.id() ? slot.term() : 0);
        if (now.id() != 0 && heard > now.term()) {
            throw refused(
                    "it has heard a writer of term %d, and the record is at term %d: the store is an"
                            + " older one, and the copy may have commits that are nowhere else",
                    heard, now.term());
        }
    }

    private void requireOther(
            ClusterRecord now, TermFile kept, SlotReport slot, boolean isUnproven) {
        boolean isProven =
                slot != null && now.id() != 0 && slot.recordId() == now.id() && slot.term() > 0;
        if (slot == null ? kept.nextOf(now.number()) != 0 : hasNumber(slot, now.number())) {
            throw refused(
                    "it has the number that the record has, %d: it is one of the set by another name"
                            + " of this node; the set is %s",
                    now.number(), String.join(", ", now.set()));
        }
        if (slot != null && slot.next() > now.number()) {
            throw refused(
                    "it is prepared for the number %d, which the record may come to have: look again"
                            + " when the record has another number than %d",
                    slot.next(), now.number());
        }
        if (!isProven && !isUnproven) {
            throw refused(
                    "nothing in the copy proves that it is of this pool's record: see what it holds"
                            + " (farheap promote -d with its poolset file) and, where it is of this"
                            + " pool, say --yes");
        }
    }

    /** An asynchronous copy has the pool's number, and no commit waits for it. */
    private static boolean hasNumber(SlotReport slot, long number) {
        return slot.next() == number
                || !slot.mayLag() && (slot.cur() == number || slot.headerRunId() == number);
    }

    private FarheapException refused(String why, Object... words) {
        return FarheapException.wrongUse(
                "The copy of %s on %s stays as it is: %s.",
                keys.pool(), node, String.format(why, words));
    }
}
