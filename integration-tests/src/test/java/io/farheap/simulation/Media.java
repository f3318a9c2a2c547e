package io.farheap.simulation;

import io.farheap.layout.Descriptor;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.JournaledPool;
import io.farheap.replication.dirty.SimulatedMaps;
import io.farheap.simulation.agent.SimulatedTarget;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The disks of all machines, used again by one history after the other: what a history begins with
 * is copied page by page over what the last one left. Only pages are that were stored to; now and
 * then the rest is looked at: every store must have come to the disk's notice.
 */
final class Media {
    static final int TARGETS = 3;
    static final int INITIATORS = 2;
    static final long IMAGE_BYTES = Descriptor.DEFAULT_HEAP_OFFSET + (18L << 18);
    private static final long RING_BYTES = 16 << 10;

    private final List<CrashSimulation> locals = new ArrayList<>();
    private final List<JournaledPool> journaled = new ArrayList<>();
    private final List<SimulatedMaps> maps = new ArrayList<>();
    private final List<SimulatedTarget> targets = new ArrayList<>();
    private static final int HISTORIES_PER_CHECK = 32;

    private MemorySegment localBeginning;
    private final List<SimulatedTarget> beginnings = new ArrayList<>();
    private final List<SimulatedTarget> copies = new ArrayList<>();
    private int restored;

    Media() {
        for (int i = 0; i < INITIATORS; i++) {
            locals.add(new CrashSimulation(IMAGE_BYTES));
            journaled.add(new JournaledPool(locals.get(i)));
            maps.add(new SimulatedMaps(IMAGE_BYTES));
        }
        for (int i = 0; i < TARGETS; i++) {
            targets.add(new SimulatedTarget(IMAGE_BYTES, RING_BYTES));
        }
    }

    /** The header of a pool with nothing around it. */
    static MemorySegment header(PoolUuid pool) {
        MemorySegment page = Arena.ofAuto().allocate(PoolHeader.SIZE, Long.BYTES);
        PoolUuid none = PoolUuid.ZERO;
        new PoolHeader(page)
                .format(
                        FeatureFlags.forNewPool(false, false),
                        pool,
                        none,
                        new PoolHeader.Links(none, none, none, none),
                        0);
        return page;
    }

    /** The local pool's; of the second initiator, if there is one. */
    CrashSimulation local(int initiator) {
        return locals.get(initiator);
    }

    /** The same as a pool with a disk journal, in histories that have one. */
    JournaledPool journaled(int initiator) {
        return journaled.get(initiator);
    }

    /** What is kept beside it of replicas that were left out. */
    SimulatedMaps maps(int initiator) {
        return maps.get(initiator);
    }

    SimulatedTarget target(int index) {
        return targets.get(index);
    }

    /** A copy of a replica as it lies on its disk now; the last one of it is gone. */
    SimulatedTarget copyOf(int target) {
        SimulatedTarget copy = copies.get(target);
        copy.become(targets.get(target));
        return copy;
    }

    /** What is there now is what every history begins with. */
    void keepAsBeginning() {
        localBeginning = Arena.ofAuto().allocate(IMAGE_BYTES, 64);
        localBeginning.copyFrom(locals.get(0).memory().image());
        locals.forEach(local -> local.restore(localBeginning, true));
        for (SimulatedTarget target : targets) {
            SimulatedTarget beginning = new SimulatedTarget(IMAGE_BYTES, RING_BYTES);
            beginning.restore(target, true);
            target.restore(beginning, true);
            SimulatedTarget copy = new SimulatedTarget(IMAGE_BYTES, RING_BYTES);
            copy.restore(beginning, true);
            beginnings.add(beginning);
            copies.add(copy);
            target.makeOtherPool();
        }
    }

    /** Before a history. */
    void restore() {
        boolean checked = restored++ % HISTORIES_PER_CHECK == 0;
        for (CrashSimulation local : locals) {
            boolean unused = local.lookForStores(); // of transactions, into objects
            local.restore(localBeginning, false);
            require(!checked || isLike(local, localBeginning));
        }
        journaled.forEach(JournaledPool::restore);
        maps.forEach(SimulatedMaps::clear);
        for (int i = 0; i < TARGETS; i++) {
            CrashSimulation image = targets.get(i).image();
            SimulatedTarget beginning = beginnings.get(i);
            require(!checked || !targets.get(i).hasUnknownStores());
            targets.get(i).restore(beginning, false);
            require(!checked || isLike(image, beginning.image().durable()));
        }
    }

    private static boolean isLike(CrashSimulation disk, MemorySegment content) {
        return disk.memory().image().mismatch(content) < 0 && disk.durable().mismatch(content) < 0;
    }

    private static void require(boolean known) {
        if (!known) {
            throw new IllegalStateException("a store that the disk was not told of");
        }
    }
}
