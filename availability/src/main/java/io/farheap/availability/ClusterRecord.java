package io.farheap.availability;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
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
 * @param apart nodes whose copies may have commits that this history lacks: nobody writes to them
 *     until a person has said that they may go
 * @param rebased the term in which a person has written this record over a store that was older
 *     than what nodes had seen; 0: nobody has
 */
record ClusterRecord(
        long term,
        String writer,
        SortedSet<String> set,
        long number,
        long planVersion,
        String nonce,
        SortedMap<String, Apart> apart,
        long rebased) {
    /** More copies that a commit waits for are of no use to anybody. */
    static final int MOST_NODES = 16;

    /**
     * A copy that was set apart.
     *
     * @param term of the record that did it
     * @param number that its history had come to; 0: not known
     */
    record Apart(long term, long number) {
        /** A sentence. */
        String why(String node) {
            return String.format(
                    "the copy of %s was set apart in term %d, by a person's order: it may have"
                            + " commits that the pool lacks since then. Keep its files elsewhere if"
                            + " they may be wanted, then run farheap ha discard on %s",
                    node, term, node);
        }
    }

    ClusterRecord {
        require(term > 0, "term");
        require(number != 0, "number");
        require(planVersion >= 0, "plan");
        require(!set.isEmpty() && set.size() <= MOST_NODES, "set");
        require(set.stream().allMatch(NodeNames::isName), "set");
        require(set.contains(writer), "writer");
        require(nonce.matches("[0-9a-f]{32}"), "nonce");
        require(rebased >= 0 && rebased <= term, "rebased");
        require(apart.size() <= MOST_NODES, "apart");
        for (var one : apart.entrySet()) {
            require(NodeNames.isName(one.getKey()) && !set.contains(one.getKey()), "apart");
            require(one.getValue().term() > 0 && one.getValue().term() <= term, "apart");
            require(one.getValue().number() >= 0, "apart");
        }
        set = Collections.unmodifiableSortedSet(new TreeSet<>(set));
        apart = Collections.unmodifiableSortedMap(new TreeMap<>(apart));
    }

    /** Of which nothing was set apart, in a store that was never an older one. */
    ClusterRecord(
            long term,
            String writer,
            SortedSet<String> set,
            long number,
            long planVersion,
            String nonce) {
        this(term, writer, set, number, planVersion, nonce, new TreeMap<>(), 0);
    }

    private static void require(boolean valid, String field) {
        if (!valid) {
            throw new IllegalArgumentException(field);
        }
    }

    /** The same, but for who has asked for it. */
    ClusterRecord withNonce(String other) {
        return new ClusterRecord(term, writer, set, number, planVersion, other, apart, rebased);
    }

    /** The first step of a take-over: whatever the copies have is as before. */
    ClusterRecord takenOver(String node, String newNonce) {
        return new ClusterRecord(
                term + 1, node, set, number, planVersion, newNonce, apart, rebased);
    }

    /**
     * A switch of the same writer.
     *
     * @param given nodes whose copies a person has said may go
     */
    ClusterRecord switched(
            SortedSet<String> newSet, long newNumber, SortedSet<String> given, String newNonce) {
        SortedMap<String, Apart> left = new TreeMap<>(apart);
        left.keySet().removeAll(given);
        return new ClusterRecord(
                term, writer, newSet, newNumber, planVersion, newNonce, left, rebased);
    }

    @Override
    public String toString() {
        return "term "
                + term
                + ", writer "
                + writer
                + ", set "
                + set
                + ", number "
                + number
                + (apart.isEmpty() ? "" : ", set apart " + apart.keySet());
    }
}
