package io.farheap.check;

import io.farheap.base.FarheapException;
import io.farheap.engine.CopyRecovery;
import io.farheap.engine.FoundContent;
import io.farheap.heap.Heap;
import io.farheap.heap.HeapLogSpace;
import io.farheap.heap.HeapMetadata;
import io.farheap.heap.HeapShape;
import io.farheap.heap.HeapStores;
import io.farheap.heap.UnusedSpace;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.ContentCheck;
import io.farheap.ulog.CommittedView;
import io.farheap.ulog.FoundLogs;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneRecovery;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Refuses damaged logs or a damaged heap before anything is changed, as every opening does. What it
 * finds is the engine's to go on with ({@link #found}): nobody looks twice.
 */
public final class OpeningCheck implements ContentCheck {
    /** Bytes compared at once: reading the chunk headers of a zone each time must not cost much. */
    private static final long WINDOW_BYTES = 16 << 20;

    private FoundContent found;

    /** Looks at content only where local replicas are of different runs. */
    public static ContentCheck ofRuns() {
        return new ContentCheck() {
            @Override
            public boolean check(PoolMemory image) {
                return false;
            }

            @Override
            public boolean recoverAlike(
                    PoolMemory together, PoolMemory follower, PoolMemory alone) {
                return new OpeningCheck().recoverAlike(together, follower, alone);
            }
        };
    }

    @Override
    public void begin() {
        found = null;
    }

    @Override
    public boolean check(PoolMemory memory) {
        LaneRecovery recovery = new LaneRecovery(new LaneArea(memory));
        if (recovery.isRedoStored()) {
            boolean recovers = recovery.check();
            found(walk(memory), null);
            return recovers;
        }
        HeapShape shape = walk(memory, recovery);
        Heap heap = Heap.boot(memory, shape, HeapStores.local(memory));
        found(shape, recovery.check(new HeapLogSpace(heap)));
        return false;
    }

    private void found(HeapShape shape, FoundLogs logs) {
        found = found == null ? new FoundContent(shape, logs) : found;
    }

    /**
     * Heap and logs of the replica that was checked first, which is the one that the pool is opened
     * with: as they were then, before logs are recovered; null: none was checked.
     */
    public FoundContent found() {
        return found;
    }

    /** Of a damaged log it is told first. */
    private static HeapShape walk(PoolMemory memory, LaneRecovery recovery) {
        try {
            return walk(memory);
        } catch (FarheapException damaged) {
            boolean unused = recovery.check();
            throw damaged;
        }
    }

    private static HeapShape walk(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        return HeapShape.of(memory, descriptor.heapOffset(), descriptor.heapSize());
    }

    @Override
    public void rehearse(PoolMemory copy, boolean mirrored) {
        if (mirrored) {
            alignReplicas(copy);
        }
        CopyRecovery.rehearse(copy);
    }

    @Override
    public boolean recoverAlike(PoolMemory together, PoolMemory follower, PoolMemory alone) {
        alignReplicas(together);
        CopyRecovery.recover(together);
        if (!haveSameCommits(together, follower)) {
            return false;
        }
        CopyRecovery.recover(alone);
        return haveSameCommits(together, alone);
    }

    /** Brings to the local replicas what a crash may have kept from one of them; durably. */
    public static void alignReplicas(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        // Its neighbour is the count of allocated bytes, which no log covers either.
        memory.flush(Descriptor.HEAP_SIZE, 2 * Long.BYTES);
        HeapMetadata.persist(memory, descriptor.heapOffset(), descriptor.heapSize());
    }

    /** Whether two recovered images are the same but for run ids, scratch, lanes, free memory. */
    private static boolean haveSameCommits(PoolMemory one, PoolMemory other) {
        Descriptor descriptor = new Descriptor(one);
        long lanes = descriptor.lanesOffset();
        long behindLanes = lanes + descriptor.laneCount() * LaneLayout.SIZE;
        return isSame(one, other, Descriptor.OFFSET, Descriptor.RUN_ID)
                && isSame(one, other, Descriptor.ROOT_SIZE, Descriptor.SCRATCH)
                && isSame(one, other, Descriptor.END, lanes)
                && isSame(one, other, behindLanes, one.size());
    }

    private static boolean isSame(PoolMemory one, PoolMemory other, long from, long end) {
        UnusedSpace unused = new UnusedSpace(one, (offset, copy, length) -> {});
        CommittedView view =
                new CommittedView(
                        one,
                        (offset, copy, length) -> {},
                        (offset, length, range) -> unused.each(offset, length, range::accept));
        for (long at = from; at < end; at += WINDOW_BYTES) {
            long length = Math.min(WINDOW_BYTES, end - at);
            MemorySegment first = one.image().asSlice(at, length);
            MemorySegment second = other.image().asSlice(at, length);
            if (first.mismatch(second) >= 0 && !isSameInUse(view, at, first, second)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSameInUse(
            CommittedView view, long at, MemorySegment first, MemorySegment second) {
        long length = first.byteSize();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocate(length, Long.BYTES).copyFrom(first);
            MemorySegment other = arena.allocate(length, Long.BYTES).copyFrom(second);
            view.clearUnused(at, one, other, length);
            return one.mismatch(other) < 0;
        }
    }
}
