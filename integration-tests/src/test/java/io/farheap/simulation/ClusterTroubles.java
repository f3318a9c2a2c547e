package io.farheap.simulation;

import io.farheap.availability.FailOverControl;
import io.farheap.availability.HighAvailability;
import io.farheap.base.FarheapException;
import io.farheap.simulation.agent.TakenCopy;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import io.farheap.simulation.net.Link;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** What goes wrong in a history of a cluster, drawn from its seed. */
final class ClusterTroubles {
    private static final long MILLI = 1_000_000;

    private final World world;
    private final ClusterSite site;
    private final ClusterHistory history;
    private final ClusterJudge judge;
    private final ClusterPlan plan;
    private final Random random;
    private final ClusterScripts scripts;
    private boolean oneIsLost;

    ClusterTroubles(
            World world,
            ClusterSite site,
            ClusterHistory history,
            ClusterJudge judge,
            ClusterPlan plan) {
        this.world = world;
        this.site = site;
        this.history = history;
        this.judge = judge;
        this.plan = plan;
        this.random = world.random();
        this.scripts = new ClusterScripts(world, site, history, judge, this, plan);
    }

    void plan(long span) {
        scripts.begin(plan.script());
        if (plan.async() >= 0 && plan.isFarBehind()) {
            at(
                    2_000 * MILLI,
                    () ->
                            site.nodes()
                                    .forEach(
                                            node ->
                                                    site.link(node.index(), plan.async())
                                                            .setLatency(
                                                                    50 * MILLI, 1_500 * MILLI)));
        }
        for (int i = 0; i < plan.troubles(); i++) {
            at(random.nextLong(span), this::some);
        }
        if (plan.backups()) {
            for (int i = 0; i < 3; i++) {
                at(random.nextLong(span), this::backUp);
                at(random.nextLong(span), this::putOldFilesBack);
            }
        }
        if (plan.restores()) {
            at(random.nextLong(span), site.store()::backUp);
            at(random.nextLong(span), site.store()::restore);
        }
        if (plan.loses()) {
            at(random.nextLong(span), this::loseOne);
        }
    }

    /** The record is another one: whoever has changed it, or is named by it, is in the middle. */
    void recorded() {
        if (judge.isBlind()) {
            return;
        }
        scripts.recorded();
        if (random.nextInt(6) != 0) {
            return;
        }
        ClusterNode writer = site.node(Integer.parseInt(judge.record().writer().substring(1)));
        at(random.nextLong(20 * MILLI), () -> inTheMiddle(writer));
    }

    private void inTheMiddle(ClusterNode writer) {
        if (plan.script() != ClusterPlan.Script.NONE) {
            return;
        }
        switch (random.nextInt(plan.loses() ? 8 : 6)) {
            case 0 -> killProgram(writer);
            case 1 -> stopProgram(writer);
            case 2 -> killNode(writer, true);
            case 3 -> apart(writer, otherThan(writer));
            case 4 -> killAgents(otherThan(writer));
            case 5 -> killNode(otherThan(writer), random.nextBoolean());
            default -> lose(writer);
        }
    }

    void at(long nanos, Runnable action) {
        var unused =
                world.after(
                        nanos,
                        () -> {
                            if (!history.isHealed()) {
                                action.run();
                            }
                        });
    }

    /** One or two at a time. */
    private void some() {
        one();
        if (random.nextInt(3) == 0) {
            at(random.nextLong(2_000 * MILLI), this::one);
        }
    }

    private long duration() {
        long[] longest = {30, 700, 4_000, 14_000, 25_000};
        return 1 + random.nextLong(longest[random.nextInt(longest.length)] * MILLI);
    }

    private ClusterNode anyNode() {
        return site.node(random.nextInt(plan.nodes()));
    }

    /** The one that writes, as often as not. */
    private ClusterNode node() {
        if (random.nextBoolean()) {
            for (ClusterNode node : site.nodes()) {
                if (history.program(node).term() != 0) {
                    return node;
                }
            }
        }
        return anyNode();
    }

    ClusterNode otherThan(ClusterNode node) {
        int other = (node.index() + 1 + random.nextInt(plan.nodes() - 1)) % plan.nodes();
        return site.node(other);
    }

    private void one() {
        ClusterNode node = node();
        switch (random.nextInt(19)) {
            case 0 -> killProgram(node);
            case 1 -> killAgents(node);
            case 2 -> killNode(node, false);
            case 3 -> killNode(node, true);
            case 4 -> stopProgram(node);
            case 5 -> stopAgents(node);
            case 6 -> stopNode(node);
            case 7 -> cutOffTheStore(node);
            case 8 -> loseAnswers(node);
            case 9 -> slowStore(node);
            case 10 -> {
                world.count(Happening.STORE_SILENT);
                site.store().fallSilent(duration());
            }
            case 11 -> site.store().endLeases(node.machine());
            case 12 -> apart(node, otherThan(node));
            case 13 -> apartOneWay(node, otherThan(node));
            case 14 -> alone(node, false);
            case 15 -> alone(node, true);
            case 16 -> switchOver(anyNode());
            case 17 -> slowNetwork(node);
            default -> {
                world.count(Happening.CLOCKS);
                node.machine().jumpWallClock(random.nextInt() * 1000L);
            }
        }
    }

    void killProgram(ClusterNode node) {
        SimProcess program = history.program(node).process();
        if (!program.isDead()) {
            world.count(Happening.PROGRAM_KILLED);
            program.kill();
            var unused = world.after(0, () -> judge.examine("after its program was killed"));
        }
    }

    private void killAgents(ClusterNode node) {
        List<SimProcess> agents = node.agents();
        if (!agents.isEmpty()) {
            world.count(Happening.AGENT_KILLED);
            agents.forEach(SimProcess::kill);
            judge.examine("after its agent was killed");
        }
    }

    private void killNode(ClusterNode node, boolean power) {
        if (!node.machine().isUp()) {
            return;
        }
        world.count(power ? Happening.TARGET_POWER : Happening.BOTH);
        history.kill(node, power);
        if (power) {
            var unused = world.after(duration(), () -> bringUp(node));
        }
    }

    void bringUp(ClusterNode node) {
        if (!node.isLost()) {
            world.note(node.name() + " is up again");
            node.machine().setUp(true);
            for (ClusterNode other : site.nodes()) {
                site.link(other.index(), node.index()).cut("the node was restarted");
                site.link(node.index(), other.index()).cut("the node was restarted");
            }
        }
    }

    private void stop(List<SimProcess> processes) {
        long time = duration();
        for (SimProcess process : processes) {
            process.stop();
            var unused = world.after(time, process::resume);
        }
    }

    private void stopProgram(ClusterNode node) {
        if (!history.program(node).process().isDead()) {
            world.count(Happening.PROGRAM_STOPPED);
            stop(List.of(history.program(node).process()));
        }
    }

    private void stopAgents(ClusterNode node) {
        if (!node.agents().isEmpty()) {
            world.count(Happening.AGENT_STOPPED);
            stop(node.agents());
        }
    }

    private void stopNode(ClusterNode node) {
        world.count(Happening.NODE_STOPPED);
        stop(List.copyOf(node.machine().processes()));
    }

    private void cutOffTheStore(ClusterNode node) {
        world.count(Happening.STORE_CUT);
        site.store().way(node.machine()).cut(world.now() + duration());
    }

    private void loseAnswers(ClusterNode node) {
        ClusterStore.Way way = site.store().way(node.machine());
        if (random.nextBoolean()) {
            world.count(Happening.STORE_UNANSWERED);
            way.loseAnswers(world.now() + duration());
        } else {
            way.lose(3 + random.nextInt(6));
            var unused = world.after(duration(), () -> way.lose(0));
        }
        if (random.nextBoolean()) {
            apart(node, otherThan(node)); // the record is to be changed meanwhile
        }
    }

    private void slowStore(ClusterNode node) {
        world.count(Happening.STORE_SLOW);
        ClusterStore.Way way = site.store().way(node.machine());
        way.setLatency(100 * MILLI, 2_500 * MILLI);
        var unused = world.after(duration(), way::heal);
    }

    private void apart(ClusterNode one, ClusterNode other) {
        world.count(Happening.NODES_APART);
        site.separate(one.index(), other.index(), duration());
        if (random.nextBoolean()) {
            site.link(one.index(), other.index()).cut("connection reset");
        }
    }

    private void apartOneWay(ClusterNode from, ClusterNode to) {
        world.count(Happening.NODES_APART_ONE_WAY);
        site.separateOneWay(from.index(), to.index(), duration());
    }

    private void alone(ClusterNode node, boolean withoutStore) {
        world.count(withoutStore ? Happening.NODE_OFF : Happening.NODE_ALONE);
        long time = duration();
        for (ClusterNode other : site.nodes()) {
            if (other != node) {
                site.separate(node.index(), other.index(), time);
            }
        }
        if (withoutStore) {
            site.store().way(node.machine()).cut(world.now() + time);
        }
    }

    private void slowNetwork(ClusterNode node) {
        world.count(Happening.SLOW);
        for (ClusterNode other : site.nodes()) {
            Link link = site.link(other.index(), node.index());
            link.setLatency(200_000, 400 * MILLI);
            var unused = world.after(duration(), () -> link.setLatency(20_000, 200_000));
        }
    }

    /** A person's order, from any machine. */
    private void switchOver(ClusterNode to) {
        SimProcess person = new SimProcess(world, anyNode().machine(), "person");
        Thread unused =
                person.start(
                        "main",
                        () -> {
                            order(to);
                            person.kill();
                            SimProcess.vanish();
                        });
    }

    private void order(ClusterNode to) {
        try (FailOverControl control =
                HighAvailability.of("etcd:http://store:2379", "bank").control()) {
            control.switchOver(to.name(), Duration.ofSeconds(20));
            world.count(Happening.SWITCH_OVER);
        } catch (FarheapException e) {
            world.note("no switch-over: " + e.getMessage());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void loseOne() {
        lose(node());
    }

    private void lose(ClusterNode node) {
        if (!oneIsLost && plan.nodes() - 1 > plan.minCopies() && isDispensable(node)) {
            oneIsLost = true;
            world.count(Happening.NODE_LOST);
            node.lose();
            history.kill(node, true);
        }
    }

    /** Without its copy there are as many as it takes: else only a person could help. */
    private boolean isDispensable(ClusterNode node) {
        return site.nodes().stream()
                        .filter(other -> other != node)
                        .filter(other -> judge.switchedTo().contains(other.name()))
                        .filter(judge::isThere)
                        .count()
                >= plan.minCopies();
    }

    private void backUp() {
        ClusterNode node = anyNode();
        if (node.disk().user() == null && node.disk().exists()) {
            node.backUp();
        }
    }

    /**
     * Not of the number that counts, or prepared for it: that can't be told from a crash, and files
     * are not put back so (docs/high-availability.md#ask-after-start). Nor while a switch that
     * names the copy may be on its way to the store: what is recorded then is not what was put
     * back.
     */
    private void putOldFilesBack() {
        putBack(node(), random.nextBoolean());
    }

    void putBack(ClusterNode node, boolean withTermFile) {
        if (!node.isBackedUp()
                || judge.isBlind()
                || !isDispensable(node)
                || mayBeNamed(node, judge.record().number())
                || TakenCopy.mayBecome(
                        node.backup(), node.termAfter(withTermFile), judge.record().number())) {
            return;
        }
        world.count(Happening.OLD_FILES);
        history.kill(node, false);
        node.restore(withTermFile, judge.record().number());
    }

    private static boolean mayBeNamed(ClusterNode node, long number) {
        long prepared = node.disk().exists() ? node.disk().slot().next() : 0;
        return node.term().next() > number || prepared > number;
    }
}
