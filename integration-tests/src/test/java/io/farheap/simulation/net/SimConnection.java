package io.farheap.simulation.net;

import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A data connection: its two ends, the initiator's memory and the target's. */
final class SimConnection implements Link.Breakable {
    private static final int WORD = 8;

    private final Link link;
    private final World world;
    private final Memory memory;
    private final MemorySegment local;
    private final MemorySegment region;
    private final Runnable push;
    private final SimEndpoint initiator;
    private final SimEndpoint target;
    private final Wire toTarget;
    private final Wire toInitiator;
    private boolean over;

    /** WRITEs that have arrived and are not all there, in their order. */
    private final List<Runnable> unfinished = new ArrayList<>();

    /**
     * What it is about.
     *
     * @param local what the initiator's WRITEs are made of
     * @param into where what it READs ends up
     * @param region what it may reach of the target
     * @param published what it may READ besides
     */
    record Memory(
            MemorySegment local,
            MemorySegment into,
            MemorySegment region,
            MemorySegment published) {}

    private SimConnection(
            Link link,
            SimProcess initiatorProcess,
            SimProcess targetProcess,
            Memory memory,
            Runnable push) {
        this.link = link;
        this.world = link.world();
        this.memory = memory;
        this.local = memory.local();
        this.region = memory.region();
        this.push = push;
        this.initiator = new SimEndpoint(this, world, initiatorProcess);
        this.target = new SimEndpoint(this, world, targetProcess);
        this.toTarget = new Wire(link, true);
        this.toInitiator = new Wire(link, false);
    }

    static SimConnection open(
            Link link,
            SimProcess initiatorProcess,
            SimProcess targetProcess,
            Memory memory,
            Runnable push) {
        SimConnection made = new SimConnection(link, initiatorProcess, targetProcess, memory, push);
        made.initiator.connectTo(made.target, made.toTarget);
        made.target.connectTo(made.initiator, made.toInitiator);
        initiatorProcess.atDeath(() -> made.died(initiatorProcess, made.initiator));
        targetProcess.atDeath(() -> made.died(targetProcess, made.target));
        link.add(made);
        return made;
    }

    SimEndpoint initiator() {
        return initiator;
    }

    SimEndpoint target() {
        return target;
    }

    Memory memory() {
        return memory;
    }

    /** A READ is executed: all of the WRITEs before it is there then, and durable. */
    byte[] reading(MemorySegment from, long offset, int length) {
        finishWritesBefore(initiator);
        push.run();
        return from.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private void died(SimProcess process, SimEndpoint end) {
        if (process.machine().isUp()) {
            ended(end);
        } else {
            // No word from a machine without power; what it had sent is on its way.
            outgoing(end).loseSome();
        }
    }

    private Wire outgoing(SimEndpoint end) {
        return end == initiator ? toTarget : toInitiator;
    }

    /**
     * One end is gone: some of what it had posted still arrives, and then the other one notices.
     */
    void ended(SimEndpoint end) {
        if (!over) {
            over = true;
            outgoing(end).loseSome();
            SimEndpoint other = end == initiator ? target : initiator;
            var unused = world.at(link.arrival(), () -> other.noticeBreak("the peer closed it"));
        }
    }

    @Override
    public void breakDown(String why) {
        if (!over) {
            over = true;
            toTarget.loseSome();
            toInitiator.loseSome();
            var unused = world.at(link.arrival(), () -> initiator.noticeBreak(why));
            unused = world.at(link.arrival(), () -> target.noticeBreak(why));
        }
    }

    @Override
    public boolean isOver() {
        return over;
    }

    /**
     * A WRITE is executed: at once, or some words now and the others later, after those of WRITEs
     * that come behind it; before the next message they are there. If none comes any more, they may
     * never be.
     */
    void arriving(long localOffset, int length, long remoteOffset) {
        if (!local.scope().isAlive()) {
            if (initiator.isThere()) {
                throw new IllegalStateException("memory was freed before it was sent");
            }
            return; // its owner had closed the connection before
        }
        finishSome();
        Runnable all = () -> MemorySegment.copy(local, localOffset, region, remoteOffset, length);
        if (link.takeGarbledRecord()) {
            world.count(Happening.GARBLED_RECORD);
            long bit = world.random().nextLong(8L * length);
            all = () -> copyGarbled(localOffset, remoteOffset, length, bit);
        }
        if (world.random().nextInt(4) == 0) {
            copySome(localOffset, length, remoteOffset);
            unfinished.add(all);
            return;
        }
        if (!unfinished.isEmpty()) {
            world.count(Happening.OVERTAKEN);
        }
        all.run();
    }

    private void copyGarbled(long localOffset, long remoteOffset, int length, long bit) {
        MemorySegment.copy(local, localOffset, region, remoteOffset, length);
        long at = remoteOffset + bit / 8;
        int was = region.get(ValueLayout.JAVA_BYTE, at);
        region.set(ValueLayout.JAVA_BYTE, at, (byte) (was ^ 1 << bit % 8));
    }

    /**
     * A message arrives.
     *
     * @return whether it is as it was sent; else the connection breaks
     */
    boolean isIntact() {
        if (!link.takeGarbledMessage()) {
            return true;
        }
        world.count(Happening.GARBLED_MESSAGE);
        breakDown("a garbled frame");
        return false;
    }

    /** Before a message of that end is taken, all of the WRITEs before it is there. */
    void finishWritesBefore(SimEndpoint sender) {
        if (sender != initiator) {
            return;
        }
        if (local.scope().isAlive()) {
            unfinished.forEach(Runnable::run);
        }
        unfinished.clear();
    }

    private void finishSome() {
        unfinished.removeIf(
                rest -> {
                    boolean now = world.random().nextBoolean();
                    if (now) {
                        rest.run();
                    }
                    return now;
                });
    }

    private void copySome(long localOffset, int length, long remoteOffset) {
        Random random = world.random();
        double kept = random.nextDouble();
        for (int at = 0; at + WORD <= length; at += WORD) {
            if (random.nextDouble() < kept) {
                long word = local.get(ValueLayout.JAVA_LONG_UNALIGNED, localOffset + at);
                region.set(ValueLayout.JAVA_LONG_UNALIGNED, remoteOffset + at, word);
            }
        }
    }
}
