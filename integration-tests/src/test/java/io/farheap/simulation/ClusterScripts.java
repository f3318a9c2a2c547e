package io.farheap.simulation;

import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import java.util.List;

/** Courses of events that are rare where each of them comes by chance. */
final class ClusterScripts {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    private final World world;
    private final ClusterSite site;
    private final ClusterHistory history;
    private final ClusterJudge judge;
    private final ClusterTroubles troubles;
    private final int laggard;

    /** The first writer and who takes over; null: of another script. */
    private ClusterNode[] successor;

    ClusterScripts(
            World world,
            ClusterSite site,
            ClusterHistory history,
            ClusterJudge judge,
            ClusterTroubles troubles,
            ClusterPlan plan) {
        this.world = world;
        this.site = site;
        this.history = history;
        this.judge = judge;
        this.troubles = troubles;
        this.laggard = plan.async();
    }

    void begin(ClusterPlan.Script script) {
        switch (script) {
            case OLD_WRITER -> wakeAnOldWriter();
            case OLD_SUCCESSOR -> ageTheSuccessor();
            case LOST_STORE -> loseTheStore();
            case RESTORED_STORE -> restoreTheStore();
            case FAR_BEHIND -> leaveTheLaggard();
            case UNEVEN -> leaveCopiesUneven();
            case LATE_STORE -> delayTheStore();
            case NONE -> {
                // all by chance
            }
        }
    }

    /** The store alone has lost who writes. */
    private void loseTheStore() {
        troubles.at(
                2 * SECOND,
                () -> {
                    ClusterNode writer = writer();
                    world.count(Happening.STORE_CUT);
                    site.store().way(writer.machine()).cut(world.now() + 30 * SECOND);
                });
    }

    /**
     * The one that was left out is of the set again, as the store says, and nobody else is there.
     */
    private void restoreTheStore() {
        ClusterNode[] who = new ClusterNode[2];
        troubles.at(
                2 * SECOND,
                () -> {
                    pick(who);
                    site.store().backUp();
                    goDown(who[1], 18 * SECOND);
                });
        troubles.at(12 * SECOND, site.store()::restore);
        troubles.at(
                13 * SECOND,
                () -> {
                    for (ClusterNode node : site.nodes()) {
                        if (node != who[1]) {
                            goDown(node, 60 * SECOND);
                        }
                    }
                });
    }

    /**
     * A commit waits for one copy that nothing reaches any more, and its node is gone meanwhile.
     */
    private void leaveCopiesUneven() {
        ClusterNode[] who = new ClusterNode[2];
        troubles.at(
                2 * SECOND + world.random().nextLong(4 * SECOND),
                () -> {
                    pick(who);
                    world.count(Happening.NODES_APART);
                    site.link(who[0].index(), who[1].index()).blockRequests(60 * SECOND);
                    troubles.at(
                            300 * MILLI + world.random().nextLong(1_500 * MILLI),
                            () -> goDown(who[0], 25 * SECOND));
                });
    }

    /**
     * The writer has to do without a copy, and does not hear for long whether that is recorded:
     * each request arrives when it has thought of what to do next.
     */
    private void delayTheStore() {
        ClusterNode[] who = new ClusterNode[2];
        troubles.at(
                2 * SECOND + world.random().nextLong(4 * SECOND),
                () -> {
                    pick(who);
                    site.store().way(who[0].machine()).delayChanges(world.now() + 20 * SECOND);
                    world.count(Happening.NODES_APART);
                    site.separate(who[0].index(), who[1].index(), 25 * SECOND);
                });
    }

    private void leaveTheLaggard() {
        troubles.at(
                5 * SECOND + world.random().nextLong(3 * SECOND),
                () -> {
                    for (ClusterNode node : site.nodes()) {
                        if (node.index() != laggard) {
                            goDown(node, 25 * SECOND);
                        }
                    }
                });
    }

    private void goDown(ClusterNode node, long nanos) {
        world.count(Happening.TARGET_POWER);
        history.kill(node, true);
        var unused = world.after(nanos, () -> troubles.bringUp(node));
    }

    private ClusterNode writer() {
        return site.nodes().stream()
                .filter(node -> history.program(node).term() != 0)
                .findFirst()
                .orElse(site.node(0));
    }

    /**
     * All but a second node are away, and the writer sleeps; the second one takes over, the others
     * are of its set. Then its program dies, and the first one wakes.
     */
    private void wakeAnOldWriter() {
        ClusterNode[] who = new ClusterNode[2];
        troubles.at(
                2 * SECOND,
                () -> {
                    pick(who);
                    for (ClusterNode node : others(who)) {
                        goDown(node, 20 * SECOND);
                    }
                });
        troubles.at(
                8 * SECOND,
                () -> {
                    SimProcess program = history.program(who[0]).process();
                    world.count(Happening.PROGRAM_STOPPED);
                    program.stop();
                    var unused = world.after(28 * SECOND, program::resume);
                    world.count(Happening.STORE_CUT);
                    site.store().way(who[0].machine()).cut(world.now() + 60 * SECOND);
                    // What the second one knows it hears from nobody.
                    site.link(who[0].index(), who[1].index()).block(60 * SECOND);
                });
        troubles.at(
                36 * SECOND - world.random().nextLong(SECOND), () -> troubles.killProgram(who[1]));
    }

    private void pick(ClusterNode[] who) {
        who[0] = writer();
        who[1] = troubles.otherThan(who[0]);
    }

    private List<ClusterNode> others(ClusterNode[] who) {
        return site.nodes().stream().filter(node -> node != who[0] && node != who[1]).toList();
    }

    /**
     * The writer reaches a second node alone, and commits rarely. That one takes over, the others
     * are of its set, and it gets its files of the time before.
     */
    private void ageTheSuccessor() {
        ClusterNode[] who = new ClusterNode[2];
        troubles.at(
                2 * SECOND,
                () -> {
                    pick(who);
                    for (ClusterNode node : others(who)) {
                        world.count(Happening.NODES_APART);
                        site.separate(who[0].index(), node.index(), 60 * SECOND);
                    }
                });
        successor = who;
    }

    /** The record is another one: perhaps the second node has taken over, with the others. */
    void recorded() {
        if (successor == null || successor[1] == null) {
            return;
        }
        var record = judge.record();
        ClusterNode second = successor[1];
        if (!record.set().contains(second.name())) {
            return;
        }
        boolean alone = record.set().size() == 2 && record.set().contains(successor[0].name());
        if (alone && record.writer().equals(successor[0].name())) {
            backUpWhileItIsAMember(second);
            troubles.at(
                    2 * SECOND,
                    () -> {
                        world.count(Happening.STORE_CUT);
                        site.store().way(successor[0].machine()).cut(world.now() + 60 * SECOND);
                    });
        } else if (alone) {
            world.count(Happening.NODES_APART);
            site.link(successor[0].index(), second.index()).block(1_200 * MILLI);
        } else if (record.writer().equals(second.name())
                && record.set().size() > 1
                && !record.set().contains(successor[0].name())) {
            troubles.at(
                    100 * MILLI + world.random().nextLong(500 * MILLI),
                    () -> troubles.putBack(second, world.random().nextBoolean()));
        }
    }

    /** What is put back has every record that the first writer has sent. */
    private void backUpWhileItIsAMember(ClusterNode second) {
        troubles.at(
                SECOND / 2,
                () -> {
                    if (judge.record().writer().equals(successor[0].name())) {
                        second.backUp();
                        backUpWhileItIsAMember(second);
                    }
                });
    }
}
