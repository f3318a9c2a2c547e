package io.farheap.simulation;

import io.farheap.agent.SimulatedTarget;
import io.farheap.layout.Descriptor;
import io.farheap.memory.CrashSimulation;
import io.farheap.replication.SimulatedMaps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The disks of all machines, used again by one history after the other: what a history begins with
 * is copied page by page over what the last one left.
 */
final class Media {
    static final int TARGETS = 3;
    static final int INITIATORS = 2;
    static final long IMAGE_BYTES = Descriptor.DEFAULT_HEAP_OFFSET + (14L << 18);
    private static final long RING_BYTES = 16 << 10;

    private final List<CrashSimulation> locals = new ArrayList<>();
    private final List<SimulatedMaps> maps = new ArrayList<>();
    private final List<SimulatedTarget> targets = new ArrayList<>();
    private final SimulatedTarget scratch = new SimulatedTarget(IMAGE_BYTES, RING_BYTES);
    private MemorySegment localBeginning;
    private final List<SimulatedTarget> beginnings = new ArrayList<>();

    Media() {
        for (int i = 0; i < INITIATORS; i++) {
            locals.add(new CrashSimulation(IMAGE_BYTES));
            maps.add(new SimulatedMaps(IMAGE_BYTES));
        }
        for (int i = 0; i < TARGETS; i++) {
            targets.add(new SimulatedTarget(IMAGE_BYTES, RING_BYTES));
        }
    }

    /** The local pool's; of the second initiator, if there is one. */
    CrashSimulation local(int initiator) {
        return locals.get(initiator);
    }

    /** What is kept beside it of replicas that were left out. */
    SimulatedMaps maps(int initiator) {
        return maps.get(initiator);
    }

    SimulatedTarget target(int index) {
        return targets.get(index);
    }

    /** To look at a copy of a replica. */
    SimulatedTarget scratch() {
        return scratch;
    }

    /** What is there now is what every history begins with. */
    void keepAsBeginning() {
        localBeginning = Arena.ofAuto().allocate(IMAGE_BYTES, 64);
        localBeginning.copyFrom(locals.get(0).memory().image());
        for (SimulatedTarget target : targets) {
            SimulatedTarget copy = new SimulatedTarget(IMAGE_BYTES, RING_BYTES);
            copy.restore(target);
            beginnings.add(copy);
            target.makeOtherPool();
        }
    }

    /** Before a history. */
    void restore() {
        locals.forEach(local -> restore(local, localBeginning));
        maps.forEach(SimulatedMaps::clear);
        for (int i = 0; i < TARGETS; i++) {
            targets.get(i).restoreState(beginnings.get(i));
            restore(targets.get(i).image(), beginnings.get(i).image().memory().image());
            restore(targets.get(i).journal(), beginnings.get(i).journal().memory().image());
        }
    }

    /** Stores made past the simulation, into the bare memory, are not known to it. */
    private static void restore(CrashSimulation disk, MemorySegment content) {
        disk.restore(content, false);
        if (disk.memory().image().mismatch(content) >= 0 || disk.durable().mismatch(content) >= 0) {
            disk.restore(content, true);
        }
    }
}
