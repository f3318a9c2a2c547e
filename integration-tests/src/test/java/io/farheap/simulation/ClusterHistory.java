package io.farheap.simulation;

import io.farheap.availability.StoredPool;
import io.farheap.memory.PoolMemory;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.Trace;
import io.farheap.simulation.engine.World;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * One history of a pool under automatic fail-over: on each node a program that waits for its turn
 * and commits, while things go wrong. When they don't any more, somebody must write again and have
 * every node's copy, and nothing that returned is missing.
 */
final class ClusterHistory implements HistoryReport.Run {
    private static final long SECOND = 1_000_000_000L;
    private static final long TROUBLED = 40 * SECOND;

    /** Until somebody writes again, with all copies. */
    private static final long BOUND = 240 * SECOND;

    private static final long EXAMINED_EACH = 3 * SECOND;
    private static final int COMMITS_AT_THE_END = 3;

    private final World world;
    private final ClusterPlan plan;
    private final ClusterSite site;
    private final ClusterLedger ledger;
    private final ClusterJudge judge;
    private final Path poolsets;
    private final List<ClusterProgram> programs = new ArrayList<>();
    private boolean begun;
    private boolean healed;
    private long pids = 100;

    ClusterHistory(long seed, ClusterMedia media, Path poolsets, Trace trace) {
        Random random = new Random(new SplittableRandom(seed).nextLong());
        this.plan = ClusterPlan.of(random);
        this.world = new World(seed, plan.pointsPerSwitch(), trace);
        this.poolsets = poolsets;
        this.site = new ClusterSite(world, media, plan, poolsets);
        this.ledger = new ClusterLedger(world, plan.threads());
        this.judge = new ClusterJudge(world, site, media, ledger);
    }

    @Override
    public void run() {
        world.note(plan.toString());
        Set<String> set = new TreeSet<>();
        for (ClusterNode node : site.nodes()) {
            if (node.index() != plan.async()) {
                set.add(node.name());
            }
        }
        ClusterTroubles troubles = new ClusterTroubles(world, site, this, judge, plan);
        site.store()
                .onRecorded(
                        () -> {
                            judge.recorded();
                            troubles.recorded();
                        });
        site.store()
                .begin(
                        StoredPool.record(1, "n0", set, ClusterMedia.FIRST_NUMBER),
                        () -> begun = true);
        world.run(() -> begun, SECOND);
        for (ClusterNode node : site.nodes()) {
            programs.add(null);
            start(node);
        }
        troubles.plan(TROUBLED);
        long end = world.now() + TROUBLED;
        examineFrom(end);
        var unused = world.at(end, () -> {});
        world.run(() -> world.now() >= end, BOUND);
        heal();
        judge.examine("after the last trouble");
        if (site.store().wentBack()) {
            return; // whoever writes goes on; more is a person's business
        }
        if (site.nodes().stream()
                .noneMatch(
                        node -> judge.switchedTo().contains(node.name()) && judge.isThere(node))) {
            world.note("no copy is left that counts");
            return;
        }
        long before = ledger.acknowledged();
        world.run(() -> isWhole() && ledger.acknowledged() > before + COMMITS_AT_THE_END, BOUND);
        judge.examine("at the end");
    }

    private void examineFrom(long end) {
        var unused =
                world.after(
                        EXAMINED_EACH,
                        () -> {
                            judge.examine("now and then");
                            if (world.now() < end) {
                                examineFrom(end);
                            }
                        });
    }

    /** One writes in the recorded term, and the record names every node that there is. */
    private boolean isWhole() {
        var record = judge.record();
        boolean all =
                site.nodes().stream()
                        .filter(node -> !node.isLost() && node.index() != plan.async())
                        .allMatch(node -> record.set().contains(node.name()));
        return all
                && programs.stream()
                        .anyMatch(
                                one ->
                                        one.term() == record.term()
                                                && one.committed() > COMMITS_AT_THE_END);
    }

    private void heal() {
        world.note("nothing goes wrong any more");
        healed = true;
        site.heal();
    }

    boolean isHealed() {
        return healed;
    }

    ClusterProgram program(ClusterNode node) {
        return programs.get(node.index());
    }

    void start(ClusterNode node) {
        ClusterProgram program =
                new ClusterProgram(
                        world, site, node, plan, ledger, poolsets, ++pids, this::examineOpened);
        programs.set(node.index(), program);
        program.process().atDeath(() -> restartAfter(program, node));
        program.start();
    }

    /** Somebody starts the program again, some time after it ended. */
    private void restartAfter(ClusterProgram ended, ClusterNode node) {
        long pause = 1 + world.random().nextLong((healed ? 2 : 6) * SECOND);
        var unused = world.after(pause, () -> startAgain(ended, node));
    }

    private void startAgain(ClusterProgram ended, ClusterNode node) {
        if (program(node) != ended || node.isLost()) {
            return;
        }
        if (node.machine().isUp()) {
            start(node);
        } else {
            restartAfter(ended, node);
        }
    }

    private void examineOpened(PoolMemory image) {
        judge.pool(image, "the opened pool");
    }

    /** All that runs on a node dies; its power fails perhaps. */
    void kill(ClusterNode node, boolean power) {
        if (power) {
            node.machine().setUp(false);
        }
        List.copyOf(node.machine().processes()).forEach(SimProcess::kill);
        if (power) {
            node.losePower();
        }
        var unused = world.after(0, () -> judge.examine("after a death"));
    }

    @Override
    public void end() {
        site.end();
        world.end();
    }

    @Override
    public String summary() {
        return plan + ", " + ledger;
    }
}
