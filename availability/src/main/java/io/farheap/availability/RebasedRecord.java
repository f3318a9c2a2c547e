package io.farheap.availability;

import io.farheap.availability.ClusterRecord.Apart;
import io.farheap.base.FarheapException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the record would be by what the copies say. */
final class RebasedRecord {
    /** More take-overs than one writer that nobody reaches can have come to meanwhile. */
    static final long STRIDE = 1 << 20;

    private final RepairSight sight;
    private final boolean newest;
    private final SortedMap<String, Apart> apart;
    private final List<SeenCopy> counted;

    RebasedRecord(RepairSight sight) {
        this.sight = sight;
        this.newest = sight.isNewest();
        this.apart = new TreeMap<>();
        sight.record().ifPresent(record -> apart.putAll(record.apart()));
        if (!newest) {
            // A writer has greeted it since, which none does before a person has given it up.
            sight.copies().stream()
                    .filter(this::isGreetedSince)
                    .forEach(copy -> apart.remove(copy.node()));
        }
        this.counted =
                sight.copies().stream().filter(copy -> !apart.containsKey(copy.node())).toList();
    }

    private boolean isGreetedSince(SeenCopy copy) {
        Apart one = apart.get(copy.node());
        return one != null && copy.term() >= one.term();
    }

    /**
     * @throws FarheapException as {@link RecordRepair#rebase}
     */
    Repair plan(Set<String> lost, String nonce) {
        SeenCopy best =
                counted.stream()
                        .filter(copy -> copy.latest() != 0)
                        .max(Comparator.comparingLong(SeenCopy::latest))
                        .orElseThrow(this::noneIsWhole);
        sight.requireLost(lost, copy -> isMissed(copy, best));
        TreeSet<String> set = new TreeSet<>();
        counted.stream()
                .filter(copy -> copy.own().mayBecome(best.number()))
                .forEach(copy -> set.add(copy.node()));
        boolean alone = set.equals(Set.of(sight.node()));
        Optional<ClusterRecord> record = sight.record();
        if (newest) {
            ClusterRecord there = record.orElseThrow();
            if (there.number() == best.number() && there.set().equals(set)) {
                return Repair.none(sight.copies(), there, alone);
            }
            requireNobodyGoesOn(there);
        }
        long term = sight.freshTerm() + STRIDE;
        List<String> losses = setApart(set, lost, term);
        ClusterRecord wanted =
                new ClusterRecord(
                        term,
                        writer(set),
                        set,
                        best.number(),
                        record.map(ClusterRecord::planVersion).orElse(0L),
                        nonce,
                        apart,
                        term);
        return new Repair(
                sight.copies(),
                record.map(ClusterRecord::toString).orElse("none"),
                losses,
                wanted,
                sight.now().version(),
                alone,
                true);
    }

    private boolean isMissed(SeenCopy copy, SeenCopy best) {
        Apart one = apart.get(copy.node());
        if (one != null) {
            return !copy.isKnown() || copy.number() > one.number();
        }
        // Of one number, whoever commits waited for has what any other has.
        return copy.latest() == 0 && copy.number() != best.number() && copy.mayHaveMoreThan(best);
    }

    /**
     * A lower number is no proof that a later one has all of its commits: nobody overwrites it
     * before a person has looked.
     *
     * @return what may be lost to the pool
     */
    private List<String> setApart(SortedSet<String> set, Set<String> lost, long term) {
        List<String> losses = new ArrayList<>();
        long recorded = sight.record().map(ClusterRecord::number).orElse(0L);
        for (SeenCopy copy : sight.copies()) {
            String node = copy.node();
            boolean named = lost.contains(node);
            boolean left = !set.contains(node) && copy.kind() != SeenCopy.Kind.NOTHING;
            if (!named && (!left || apart.containsKey(node))) {
                continue;
            }
            long number = copy.number() == 0 ? recorded : copy.number();
            apart.put(node, new Apart(term, Math.max(0, number)));
            losses.add(
                    named
                            ? "what " + node + " has and none of these has"
                            : "what only "
                                    + node
                                    + " has ("
                                    + copy.text()
                                    + "): it is set apart, and stays as it is");
        }
        return losses;
    }

    /** Where the record is as new as the copies are, whoever it names may go on by itself. */
    private void requireNobodyGoesOn(ClusterRecord record) {
        Optional<String> lives = sight.lead().map(lead -> lead + " writes");
        Optional<String> may =
                sight.copies().stream()
                        .filter(copy -> record.set().contains(copy.node()))
                        .filter(copy -> copy.own().mayBecome(record.number()))
                        .map(copy -> "the copy of " + copy.node() + " may go on")
                        .findFirst();
        if (lives.isPresent() || may.isPresent()) {
            throw FarheapException.replica(
                    "The store has not gone back, as far as %s and the copies know, and %s: nothing"
                            + " was changed. Run this on a node that says that the store went back;"
                            + " where copies of the set are lost, others do without them (farheap"
                            + " ha status)",
                    sight.node(), lives.or(() -> may).orElseThrow());
        }
    }

    private FarheapException noneIsWhole() {
        StringBuilder all = new StringBuilder();
        counted.forEach(
                copy -> all.append("; ").append(copy.node()).append(": ").append(copy.text()));
        return FarheapException.replica(
                "No copy that is reached is whole, so nothing can be recorded%s", all);
    }

    /** Who wrote goes on where that is known: its own copy needs nothing. */
    private String writer(SortedSet<String> set) {
        return sight.lead()
                .map(Lead::node)
                .filter(set::contains)
                .or(() -> sight.record().map(ClusterRecord::writer).filter(set::contains))
                .or(() -> Optional.of(sight.node()).filter(set::contains))
                .orElseGet(set::first);
    }
}
