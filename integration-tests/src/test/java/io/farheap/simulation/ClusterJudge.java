package io.farheap.simulation;

import io.farheap.availability.StoredPool;
import io.farheap.availability.StoredPool.Recorded;
import io.farheap.memory.PoolMemory;
import io.farheap.simulation.agent.SimulatedTarget;
import io.farheap.simulation.agent.TakenCopy;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.World;
import java.util.Set;
import java.util.TreeSet;

/**
 * Looks at the record and at the copies that it names, from outside: each of them could take over
 * at any moment, and would have every commit that returned.
 */
final class ClusterJudge {
    private final World world;
    private final ClusterSite site;
    private final ClusterMedia media;
    private final ClusterLedger ledger;

    /** Of the last switch: its copies have everything, whoever has taken over since. */
    private Set<String> switchedTo = Set.of();

    private long switchedNumber;
    private Recorded record;
    private long term;

    ClusterJudge(World world, ClusterSite site, ClusterMedia media, ClusterLedger ledger) {
        this.world = world;
        this.site = site;
        this.media = media;
        this.ledger = ledger;
    }

    /** Nobody may be counted on to tell what the record was after the store went back. */
    boolean isBlind() {
        return site.store().wentBack() || site.store().recorded().length == 0;
    }

    Recorded record() {
        return record;
    }

    /** The set of the last switch. */
    Set<String> switchedTo() {
        return switchedTo;
    }

    /** The record is another one. */
    void recorded() {
        if (isBlind()) {
            return;
        }
        record = StoredPool.recorded(site.store().recorded());
        world.note("record: " + record);
        if (record.number() != switchedNumber) {
            switchedNumber = record.number();
            switchedTo = new TreeSet<>(record.set());
        }
        if (record.term() < term) {
            throw new Violation("the record's term was " + term + " and is " + record.term());
        }
        term = record.term();
    }

    /** Whether it has a copy that may be counted on. */
    boolean isThere(ClusterNode node) {
        return !node.isLost() && !node.isReplaced(switchedNumber);
    }

    /** Looks at all copies that the record names. */
    void examine(String when) {
        if (isBlind()) {
            return;
        }
        for (ClusterNode node : site.nodes()) {
            if (record.set().contains(node.name()) && isThere(node)) {
                examine(node, record, node.name() + " " + when + ", " + record);
            }
        }
    }

    private void examine(ClusterNode node, Recorded record, String what) {
        SimulatedTarget disk = node.disk();
        if (!TakenCopy.mayBecome(disk, node.term(), record.number())) {
            throw new Violation(
                    what
                            + ": a copy of the recorded set could not take over: "
                            + disk.slot()
                            + ", run_id "
                            + disk.runId()
                            + ", "
                            + node.term());
        }
        if (disk.user() == null) {
            SimulatedTarget copy = media.copyOf(node.index());
            TakenCopy.take(copy, node.term(), record.number());
            pool(copy.image().memory(), what);
        }
    }

    /** A pool's image at a transaction boundary, with every commit that returned. */
    void pool(PoolMemory image, String what) {
        world.count(Happening.EXAMINED);
        Examiner.pool(image, ledger.threads(), ledger::fault, what);
    }
}
