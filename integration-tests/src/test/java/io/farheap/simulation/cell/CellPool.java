package io.farheap.simulation.cell;

import io.farheap.base.FarheapException;
import io.farheap.replication.epoch.SwitchRecorder;
import io.farheap.replication.epoch.SwitchRecorder.Answer;
import io.farheap.replication.epoch.SwitchRecorder.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * One pool of a cell, as far as fail-over sees it: which copies there are, who writes, and when
 * switches are recorded. The steps of a switch between the copies are played: they take a stated
 * time and succeed wherever the machine is up.
 */
final class CellPool {
    private static final long MILLI = 1_000_000;

    /** What a program takes to open its pool, and to prepare the copies that answer. */
    private static final long OPENING_MILLIS = 300;

    /** So long a copy is waited for at a take-over whose machine is silent. */
    private static final long SILENT_MILLIS = 6_000;

    /** A copy that does not answer is left out after that: the usual commit-timeout. */
    private static final long LEFT_OUT_AFTER = 10_000 * MILLI;

    /** A copy that is there again has caught up after that. */
    private static final long CAUGHT_UP_AFTER = 5_000 * MILLI;

    private static final long ASK_AGAIN_MILLIS = 1_000;

    private final Cell cell;
    private final String name;
    private final List<CellNode> nodes = new ArrayList<>();
    private CellNode writer;
    private SwitchRecorder recorder;
    private List<CellNode> members = List.of();
    private boolean switching;
    private long lostAt = -1;

    CellPool(Cell cell, String name) {
        this.cell = cell;
        this.name = name;
    }

    String name() {
        return name;
    }

    List<CellNode> nodes() {
        return nodes;
    }

    List<CellNode> others(CellNode node) {
        return nodes.stream().filter(other -> other != node).toList();
    }

    boolean isWrittenBy(CellNode node) {
        return writer == node;
    }

    boolean isWhole() {
        return writer != null && members.size() == nodes.size() - 1;
    }

    /** Nobody writes from now on. */
    void loseWriter() {
        writer = null;
        switching = false;
        lostAt = cell.world().now();
        cell.writerLost();
    }

    // ---- in the writer's process

    /** The first switch of a turn. */
    void attach(CellNode node, SwitchRecorder switches) {
        List<CellNode> named =
                others(node).stream().filter(one -> switches.names(one.asReplica())).toList();
        boolean silent = named.stream().anyMatch(one -> !one.isUp());
        cell.sleep(OPENING_MILLIS + (silent ? SILENT_MILLIS : 0));
        List<CellNode> there = named.stream().filter(CellNode::isUp).toList();
        if (1 + there.size() < switches.minCopies()) {
            throw FarheapException.replica("too few copies of %s are reached", name);
        }
        Answer answer = switchTo(node, switches, there);
        if (answer.kind() != Kind.RECORDED) {
            throw FarheapException.replica("%s", answer.why());
        }
        recorder = switches;
    }

    private Answer switchTo(CellNode node, SwitchRecorder switches, List<CellNode> wanted) {
        long number = node.number() + 2;
        switches.prepare(node.number(), number);
        Answer answer = switches.record(wanted.stream().map(CellNode::asReplica).toList(), number);
        while (answer.kind() == Kind.UNSETTLED) {
            cell.sleep(ASK_AGAIN_MILLIS);
            answer = switches.settle();
        }
        if (answer.kind() == Kind.RECORDED) {
            node.writesIn(number);
            wanted.forEach(one -> one.followsIn(number, node));
            members = wanted;
        }
        return answer;
    }

    /** Its turn has begun. */
    void opened(CellNode node) {
        writer = node;
        if (lostAt >= 0) {
            cell.writerFound(cell.world().now() - lostAt);
            lostAt = -1;
        }
        changeLater(CAUGHT_UP_AFTER);
    }

    /** A machine with one of its copies has gone, or is there again. */
    void machineChanged(boolean up) {
        changeLater(up ? CAUGHT_UP_AFTER : LEFT_OUT_AFTER);
    }

    private void changeLater(long nanos) {
        var unused = cell.world().after(nanos, this::change);
    }

    private void change() {
        CellNode node = writer;
        if (node != null && !wanted(node).equals(members)) {
            if (switching) {
                changeLater(CAUGHT_UP_AFTER);
            } else {
                Thread unused = node.process().start("replicas", () -> follow(node));
            }
        }
    }

    private List<CellNode> wanted(CellNode node) {
        return others(node).stream().filter(CellNode::isUp).toList();
    }

    private void follow(CellNode node) {
        SwitchRecorder switches = recorder;
        List<CellNode> there = wanted(node);
        if (writer != node || there.equals(members) || 1 + there.size() < switches.minCopies()) {
            return;
        }
        switching = true;
        Answer answer = switchTo(node, switches, there);
        switching = false;
        if (answer.kind() == Kind.NOT_RECORDED) {
            changeLater(CAUGHT_UP_AFTER);
        }
    }
}
