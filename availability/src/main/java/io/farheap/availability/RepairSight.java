package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import io.farheap.replication.session.ReplicaReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What a person's repair is decided by: the store, and all copies as far as they are reached.
 *
 * @param node this one
 * @param now what the store has of the record
 * @param record the same, understood; empty: there is none
 * @param lead who is announced as the writer and may live
 * @param waiting nodes whose programs wait for their turn
 * @param stamps of this node
 * @param mine this node's copy
 * @param copies all of them
 */
record RepairSight(
        String node,
        Versioned now,
        Optional<ClusterRecord> record,
        Optional<Lead> lead,
        Set<String> waiting,
        SeenStamps stamps,
        SeenCopy mine,
        List<SeenCopy> copies) {

    /**
     * @param others looks at the copies of the other nodes
     * @throws FarheapException WRONG_USE where a node is named that is none of these, or copies are
     *     of several pools
     */
    static RepairSight of(
            Coordinator store,
            PoolKeys keys,
            String node,
            RepairedCopy own,
            Map<String, Supplier<ReplicaReport>> others) {
        Versioned now = store.read(keys.record());
        Optional<ClusterRecord> record =
                now.value().map(value -> ClusterRecordCodec.decode(keys.record(), value));
        Optional<Lead> announced =
                store.present(keys.lead()).map(value -> Lead.decode(keys.lead(), value));
        requireKnown(node, others.keySet(), record, announced);
        Set<String> waiting = new TreeSet<>();
        for (String one : others.keySet()) {
            if (store.present(keys.waiting(one)).isPresent()) {
                waiting.add(one);
            }
        }
        SeenCopy mine = own.look(node);
        List<SeenCopy> copies = new ArrayList<>(List.of(mine));
        others.forEach((name, look) -> copies.add(look(name, look)));
        requireOnePool(copies);
        return new RepairSight(
                node,
                now,
                record,
                announced.filter(lead -> !lead.hasEnded(node)),
                waiting,
                own.stamps(),
                mine,
                copies);
    }

    private static SeenCopy look(String name, Supplier<ReplicaReport> look) {
        try {
            return SeenCopy.of(name, look.get());
        } catch (FarheapException e) {
            return SeenCopy.unreached(name, e.getMessage());
        }
    }

    /** One copy under two names would be lost under the one and live under the other. */
    private static void requireKnown(
            String node,
            Set<String> others,
            Optional<ClusterRecord> record,
            Optional<Lead> announced) {
        Set<String> named = new TreeSet<>();
        record.ifPresent(one -> named.addAll(one.set()));
        record.ifPresent(one -> named.addAll(one.apart().keySet()));
        announced.ifPresent(one -> named.add(one.node()));
        announced.ifPresent(one -> named.addAll(one.turn().nodes()));
        named.remove(node);
        named.removeAll(others);
        if (!named.isEmpty()) {
            throw FarheapException.wrongUse(
                    "The store names %s, and the poolset file has only %s beside this node, %s:"
                            + " nothing was changed. Name the poolset file that the program of this"
                            + " node opens, with a REPLICA line for each node, whose host is the"
                            + " node's name",
                    String.join(", ", named),
                    others.isEmpty() ? "none" : String.join(", ", new TreeSet<>(others)),
                    node);
        }
    }

    private static void requireOnePool(List<SeenCopy> copies) {
        List<SeenCopy> told = copies.stream().filter(copy -> !copy.pool().isEmpty()).toList();
        for (SeenCopy copy : told) {
            SeenCopy first = told.get(0);
            if (!copy.pool().equals(first.pool())) {
                throw FarheapException.wrongUse(
                        "The copy of %s is of the pool %s, and that of %s of the pool %s: nothing"
                                + " was changed. Correct the poolset file that names another pool's",
                        first.node(), first.pool(), copy.node(), copy.pool());
            }
        }
    }

    boolean isTrusted() {
        return new StoreTrust(node, stamps).isTrusted(now, record);
    }

    /** Whether the record is what the copies know of: no writer comes before the store. */
    boolean isNewest() {
        return isTrusted() && record.filter(one -> one.term() >= heard()).isPresent();
    }

    private long heard() {
        long copies = this.copies.stream().mapToLong(SeenCopy::term).max().orElse(0);
        return Math.max(copies, Math.max(stamps.term(), stamps.rebased()));
    }

    /** One that nobody is known to have heard. */
    long freshTerm() {
        return 1 + Math.max(heard(), record.map(ClusterRecord::term).orElse(0L));
    }

    private SeenCopy copy(String one) {
        return copies.stream().filter(copy -> copy.node().equals(one)).findFirst().orElseThrow();
    }

    /**
     * A slip in a name must not look like an agreement, and who is there is not lost.
     *
     * @param missed which copies a person is to name
     */
    void requireLost(Set<String> lost, Predicate<SeenCopy> missed) {
        Set<String> known = new TreeSet<>();
        List<SeenCopy> unnamed = new ArrayList<>();
        for (SeenCopy copy : copies) {
            if (!missed.test(copy)) {
                continue;
            }
            known.add(copy.node());
            if (!lost.contains(copy.node())) {
                unnamed.add(copy);
            }
        }
        for (String one : lost) {
            if (!known.contains(one)) {
                throw FarheapException.wrongUse(
                        "--lost=%s names no copy that would be lost, which are %s: nothing was"
                                + " changed",
                        one, known.isEmpty() ? "none" : String.join(", ", known));
            }
        }
        if (!unnamed.isEmpty()) {
            throw unnamed(unnamed);
        }
        lost.forEach(one -> requireMayBeLost(copy(one)));
    }

    private FarheapException unnamed(List<SeenCopy> unnamed) {
        StringBuilder why = new StringBuilder();
        StringBuilder names = new StringBuilder();
        for (SeenCopy copy : unnamed) {
            why.append("; ").append(copy.node()).append(": ").append(copy.text());
            names.append(" --lost=").append(copy.node());
        }
        return FarheapException.replica(
                "Another copy has, or may have, commits that would be lost: nothing was changed%s."
                        + " Bring it back, or run this where it is; only if it is lost for good:%s",
                why, names);
    }

    private void requireMayBeLost(SeenCopy copy) {
        String name = copy.node();
        if (lead.filter(one -> one.node().equals(name)).isPresent()) {
            throw FarheapException.replica(
                    "%s is announced as the writer (process %d), and so its copy is not lost:"
                            + " nothing was changed. If its machine is lost, wait until its"
                            + " announcement has ended",
                    name, lead.get().pid());
        }
        if (waiting.contains(name)) {
            throw FarheapException.replica(
                    "A program waits on %s, and so its copy is not lost: nothing was changed. See"
                            + " what it says",
                    name);
        }
        if (copy.kind() == SeenCopy.Kind.UNTOLD && !name.equals(node)) {
            throw FarheapException.replica(
                    "The copy of %s is there (%s): nothing was changed. Run this on %s",
                    name, copy.text(), name);
        }
        requireFree(copy);
    }

    static void requireFree(SeenCopy copy) {
        if (!copy.holder().isEmpty()) {
            throw FarheapException.replica(
                    "The copy of %s is in use by %s: end that first", copy.node(), copy.holder());
        }
    }
}
