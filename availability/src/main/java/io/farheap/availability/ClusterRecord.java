package io.farheap.availability;

import io.farheap.replication.journal.LaterFields;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What the store says of a pool.
 *
 * @param term grows by one at every take-over
 * @param writer the node that writes, one of the set
 * @param set nodes whose copies every commit waits for
 * @param number of the last recorded switch; each copy of the set has it as cur or next
 * @param planVersion of the plan by which the set was chosen; 0: none
 * @param nonce 32 hexadecimal digits, of one request: a read tells whether that very request was
 *     carried out
 * @param id of this record among all that the pool has had, drawn when it was made; 0: not known
 * @param later {@link LaterFields}, kept as they are
 */
record ClusterRecord(
        long term,
        String writer,
        SortedSet<String> set,
        long number,
        long planVersion,
        String nonce,
        long id,
        String later) {
    /** More copies that a commit waits for are of no use to anybody. */
    static final int MOST_NODES = 16;

    ClusterRecord {
        require(term > 0, "term");
        require(number != 0, "number");
        require(planVersion >= 0, "plan");
        require(!set.isEmpty() && set.size() <= MOST_NODES, "set");
        require(set.stream().allMatch(NodeNames::isName), "set");
        require(set.contains(writer), "writer");
        require(id >= 0, "id");
        require(nonce.matches("[0-9a-f]{32}"), "nonce");
        set = Collections.unmodifiableSortedSet(new TreeSet<>(set));
    }

    /** Of an earlier version: without an id. */
    ClusterRecord(
            long term,
            String writer,
            SortedSet<String> set,
            long number,
            long planVersion,
            String nonce) {
        this(term, writer, set, number, planVersion, nonce, 0, LaterFields.NONE);
    }

    private static void require(boolean valid, String field) {
        if (!valid) {
            throw new IllegalArgumentException(field);
        }
    }

    /**
     * The first step of a take-over: whatever the copies have is as before, and each of the set may
     * take over if this node is lost now (docs/high-availability.md#keep-set).
     */
    ClusterRecord takenOver(String node, String newNonce) {
        return new ClusterRecord(term + 1, node, set, number, planVersion, newNonce, id, later);
    }

    /** A switch of the same writer. */
    ClusterRecord switched(SortedSet<String> newSet, long newNumber, String newNonce) {
        return new ClusterRecord(term, writer, newSet, newNumber, planVersion, newNonce, id, later);
    }

    /** The same of one that has no id yet: which copies are its own is known from then on. */
    ClusterRecord identified(long newId) {
        return new ClusterRecord(term, writer, set, number, planVersion, nonce, newId, later);
    }

    @Override
    public String toString() {
        return "term " + term + ", writer " + writer + ", set " + set + ", number " + number;
    }
}
