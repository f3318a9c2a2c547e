package io.farheap.simulation;

import io.farheap.agent.replica.SimulatedFiles;
import io.farheap.availability.StoredPool;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.Trace;
import io.farheap.simulation.engine.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * A pool on three nodes to which one thing after the other happens, with a while in between: how
 * often the record changes by each. Loaded and called by {@code CellRecordsTest}.
 */
public final class QuietCluster {
    private static final long SECOND = 1_000_000_000L;
    private static final long BOUND = 120 * SECOND;
    private static final long WHILE = 15 * SECOND;
    private static final int NODES = 3;

    private final World world;
    private final ClusterPlan plan;
    private final ClusterSite site;
    private final ClusterLedger ledger;
    private final ClusterProgram[] programs = new ClusterProgram[NODES];
    private final List<String> told = new ArrayList<>();
    private int changes;
    private long pids = 100;

    private QuietCluster(long seed, ClusterMedia media) {
        this.plan = plan();
        this.world = new World(seed, 200, new Trace(false));
        this.site = new ClusterSite(world, media, plan, Histories.POOLSETS);
        this.ledger = new ClusterLedger(world, plan.threads());
    }

    private static ClusterPlan plan() {
        ClusterPlan any = ClusterPlan.of(new Random(1));
        return new ClusterPlan(
                NODES,
                2,
                1,
                any.pointsPerSwitch(),
                2_000,
                20_000,
                0,
                false,
                false,
                false,
                false,
                -1,
                1_000,
                ClusterPlan.Script.NONE);
    }

    /** How often the record changed: NAME=COUNT, of each thing that happened. */
    public static List<String> run(long seed) {
        ClusterMedia media = new ClusterMedia();
        media.restore();
        QuietCluster cluster = new QuietCluster(seed, media);
        try {
            cluster.run();
        } finally {
            cluster.site.end();
            cluster.world.end();
            SimulatedFiles.connectTo(null);
            World.endAll();
        }
        return cluster.told;
    }

    private void run() {
        Set<String> set = new TreeSet<>();
        site.nodes().forEach(node -> set.add(node.name()));
        site.store().onRecorded(() -> changes++);
        site.store()
                .begin(
                        StoredPool.record(1, "n0", set, ClusterMedia.FIRST_NUMBER),
                        () -> changes = 0);
        pass(SECOND);
        changes = 0;
        event("start", () -> site.nodes().forEach(this::start), this::isWritten);
        ClusterNode writer = writer();
        event("writer-lost", () -> kill(writer), this::isWritten);
        event("writer-back", () -> start(writer), () -> isNamed(writer));
        ClusterNode other =
                site.nodes().stream().filter(n -> n != writer && n != writer()).findAny().get();
        event("copy-lost", () -> kill(other), () -> !isNamed(other));
        event("copy-back", () -> start(other), () -> isNamed(other));
    }

    private void event(String name, Runnable what, BooleanSupplier until) {
        int before = changes;
        what.run();
        world.run(until, BOUND);
        pass(WHILE);
        told.add(name + "=" + (changes - before));
    }

    private void pass(long nanos) {
        boolean[] over = {false};
        var unused = world.after(nanos, () -> over[0] = true);
        world.run(() -> over[0], BOUND);
    }

    private void start(ClusterNode node) {
        node.machine().setUp(true);
        ClusterProgram program =
                new ClusterProgram(
                        world, site, node, plan, ledger, Histories.POOLSETS, ++pids, image -> {});
        programs[node.index()] = program;
        program.start();
    }

    private void kill(ClusterNode node) {
        node.machine().setUp(false);
        List.copyOf(node.machine().processes()).forEach(SimProcess::kill);
        node.losePower();
    }

    private boolean isWritten() {
        return site.nodes().stream().anyMatch(this::writes);
    }

    private boolean writes(ClusterNode node) {
        ClusterProgram program = programs[node.index()];
        return program.term() != 0 && program.committed() > 1;
    }

    private ClusterNode writer() {
        return site.nodes().stream().filter(this::writes).findFirst().orElseThrow();
    }

    private boolean isNamed(ClusterNode node) {
        return StoredPool.recorded(site.store().recorded()).set().contains(node.name());
    }
}
