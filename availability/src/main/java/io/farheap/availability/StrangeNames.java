package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Listed;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Who waits by a name that nobody else knows: it waits for ever, though the record may have its
 * copy by another one.
 */
final class StrangeNames {
    private StrangeNames() {}

    /**
     * A sentence; empty: there are none, or it may be that each of them has one name. Where nobody
     * tells the lines, as in any outage, a node that was left out, or whose copy is yet to be made,
     * waits like that: only that all of the set are silent at once speaks for other names.
     *
     * @throws io.farheap.availability.coordinator.StoreUnavailableException the store does not
     *     answer
     */
    static Optional<String> said(
            Coordinator store, PoolKeys keys, ClusterRecord record, Optional<Lead> lead) {
        SortedSet<String> waiting = waiting(store, keys);
        SortedSet<String> lines =
                lead.map(Lead::turn).orElse(Lead.Turn.UNKNOWN).nodes(); // empty: not known
        SortedSet<String> known = new TreeSet<>(record.set());
        known.addAll(lines);
        SortedSet<String> strangers = new TreeSet<>(waiting);
        strangers.removeAll(known);
        SortedSet<String> unseen = known;
        unseen.removeAll(waiting);
        lead.ifPresent(one -> unseen.remove(one.node()));
        boolean isTold = !lines.isEmpty() || lead.isEmpty() && unseen.equals(record.set());
        if (strangers.isEmpty() || !isTold) {
            return Optional.empty();
        }
        String who =
                lines.isEmpty()
                        ? "the record does not name"
                        : "neither the record nor the REPLICA lines of "
                                + lead.get().node()
                                + " name";
        return Optional.of(
                String.format(
                        "a program waits on %s, which %s%s",
                        String.join(", ", strangers), who, twoNames(unseen)));
    }

    private static String twoNames(SortedSet<String> unseen) {
        return unseen.isEmpty()
                ? ""
                : String.format(
                        ": if they call it %s, a node has two names, and does not take over until"
                                + " its program (node) and those of the others (REPLICA, or mate)"
                                + " say the same one",
                        String.join(" or ", unseen));
    }

    private static SortedSet<String> waiting(Coordinator store, PoolKeys keys) {
        String prefix = keys.waiting("");
        SortedSet<String> names = new TreeSet<>();
        for (Listed one : store.list(prefix)) {
            String name = one.key().substring(prefix.length());
            if (one.announced() && NodeNames.isName(name)) {
                names.add(name);
            }
        }
        return names;
    }
}
