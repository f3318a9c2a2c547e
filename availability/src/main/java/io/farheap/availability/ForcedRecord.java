package io.farheap.availability;

import io.farheap.availability.ClusterRecord.Apart;
import io.farheap.base.FarheapException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the record would be if this node's copy went on, with every copy of the set lost. */
final class ForcedRecord {
    private final RepairSight sight;
    private final String node;
    private final SeenCopy mine;
    private final ClusterRecord record;

    /**
     * @param record that there is
     */
    ForcedRecord(RepairSight sight, ClusterRecord record) {
        this.sight = sight;
        this.node = sight.node();
        this.mine = sight.mine();
        this.record = record;
    }

    /**
     * @throws FarheapException as {@link RecordRepair#force}
     */
    Repair plan(Set<String> lost, String nonce) {
        requireNobodyWrites();
        if (record.set().contains(node) && mine.own().mayBecome(record.number())) {
            boolean alone = record.writer().equals(node) && record.set().size() == 1;
            return Repair.none(sight.copies(), record, alone && !record.apart().isEmpty());
        }
        requireWhole();
        sight.requireLost(lost, this::isMissed);
        sight.copies().forEach(this::requireIsGone);
        SortedSet<String> left = new TreeSet<>(record.set());
        left.addAll(lost);
        left.remove(node);
        long term = sight.freshTerm();
        SortedMap<String, Apart> apart = new TreeMap<>(record.apart());
        apart.remove(node);
        List<String> losses = new ArrayList<>();
        for (SeenCopy copy : sight.copies()) {
            if (left.contains(copy.node())) {
                long number = Math.max(copy.latest(), record.number());
                apart.put(copy.node(), new Apart(term, number));
                losses.add(loss(copy));
            }
        }
        ClusterRecord wanted =
                new ClusterRecord(
                        term,
                        node,
                        new TreeSet<>(Set.of(node)),
                        mine.number(),
                        record.planVersion(),
                        nonce,
                        apart,
                        record.rebased());
        return new Repair(
                sight.copies(),
                record.toString(),
                losses,
                wanted,
                sight.now().version(),
                true,
                true);
    }

    private String loss(SeenCopy copy) {
        if (!record.set().contains(copy.node())) {
            return String.format("what %s may have and %s has not", copy.node(), node);
        }
        String loss =
                String.format(
                        "every commit that returned while the record named %s without %s, since"
                                + " number %d: how many is not known",
                        copy.node(), node, record.number());
        return copy.kind() == SeenCopy.Kind.UNKNOWN
                ? loss
                        + ". Its files are there ("
                        + copy.text()
                        + "), may be mended, and stay as they are"
                : loss;
    }

    private boolean isMissed(SeenCopy copy) {
        return !copy.node().equals(node)
                && (record.set().contains(copy.node()) || copy.mayHaveMoreThan(mine));
    }

    /** Who may take over by itself needs no force, and who may come back any moment is not lost. */
    private void requireNobodyWrites() {
        if (sight.lead().isPresent()) {
            throw FarheapException.replica(
                    "%s is announced as the writer (process %d), and so nobody else is made one: end"
                            + " it first; if its machine is lost, wait until its announcement has"
                            + " ended",
                    sight.lead().get().node(), sight.lead().get().pid());
        }
        for (String one : record.set()) {
            if (sight.waiting().contains(one)) {
                throw FarheapException.replica(
                        "A program waits on %s, whose copy is of the recorded set: it takes over by"
                                + " itself; see what it says",
                        one);
            }
        }
        RepairSight.requireFree(mine);
    }

    private void requireWhole() {
        if (mine.kind() != SeenCopy.Kind.WHOLE || mine.mayLag()) {
            throw FarheapException.replica(
                    "The copy of %s can't go on: %s. Only a whole copy that commits waited for can;"
                            + " look at the others",
                    node, mine.text());
        }
    }

    private void requireIsGone(SeenCopy copy) {
        boolean lives =
                copy.own().mayBecome(record.number()) || copy.kind() == SeenCopy.Kind.UNTOLD;
        if (lives && record.set().contains(copy.node()) && !copy.node().equals(node)) {
            throw FarheapException.replica(
                    "%s answers, and its copy is of the recorded set (%s): start the program there,"
                            + " which has every commit",
                    copy.node(), copy.text());
        }
    }
}
