package io.farheap.ulog;

import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;

/**
 * The smallest image that has lanes: two of them, a heap with slots for extensions and, behind the
 * slots, the words that the tests change.
 *
 * <pre>
 *   8192  lanes | heap: bitmap word, slots ..., VICTIM, DATA_BYTES of data
 * </pre>
 */
final class TestImage {
    static final int LANES = 2;
    static final long HEAP = Descriptor.END + LANES * LaneLayout.SIZE;
    static final long DATA_BYTES = 4096;
    static final long VICTIM = 0x600DL;

    /** Slots that an undo log's extension fits. */
    static final TestImage LARGE_SLOTS = new TestImage(33088, 3);

    /** Slots that a redo log's smallest extension just fits: 52 entries. */
    static final TestImage SMALL_SLOTS = new TestImage(1024, 6);

    private final long slotSize;
    private final int slots;

    private TestImage(long slotSize, int slots) {
        this.slotSize = slotSize;
        this.slots = slots;
    }

    /** A word that nobody changes but an entry out of garbage. */
    long victim() {
        return data() - Long.BYTES;
    }

    /** Where the data of the tests starts; a multiple of 8. */
    long data() {
        return HEAP + 64 + slots * slotSize + 64;
    }

    CrashSimulation create() {
        CrashSimulation machine = new CrashSimulation(data() + DATA_BYTES);
        PoolMemory memory = machine.memory();
        memory.putLong(5120, Descriptor.END);
        memory.putLong(5128, LANES);
        memory.putLong(5136, HEAP);
        memory.putLong(6176, memory.size() - HEAP);
        LaneLayout.format(memory);
        for (long at = data(); at < memory.size(); at += Long.BYTES) {
            memory.putLong(at, at);
        }
        memory.putLong(victim(), VICTIM);
        space(memory).poison(victim());
        memory.persist(0, memory.size());
        return new CrashSimulation(memory.image());
    }

    ModelSpace space(PoolMemory memory) {
        return new ModelSpace(memory, HEAP, slotSize, slots);
    }

    Lane lane(PoolMemory memory, int index) {
        return lane(memory, index, space(memory));
    }

    Lane lane(PoolMemory memory, int index, LogSpace space) {
        return new LaneArea(memory).lane(index, space);
    }

    /** What opening a pool does with its lanes. */
    ModelSpace recover(PoolMemory memory) {
        return recover(memory, new LogChecksums());
    }

    ModelSpace recover(PoolMemory memory, LogChecksums checksums) {
        LaneRecovery recovery = new LaneRecovery(new LaneArea(memory), checksums);
        recovery.recoverRedo();
        ModelSpace space = space(memory);
        recovery.recoverUndo(space);
        return space;
    }
}
