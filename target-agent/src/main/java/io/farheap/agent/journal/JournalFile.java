package io.farheap.agent.journal;

import io.farheap.memory.PoolMemory;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ProgressLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.SlotLayout;
import io.farheap.replication.journal.SlotTimes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A replica's journal file in memory: its slot, changed in one durable step, and its ring.
 *
 * <p>The slot is changed by one thread at a time; the ring is stored to by the fabric, or by {@link
 * #persist} where the fabric stores to a bounce ring.
 */
public final class JournalFile {
    private static final long PAGE = 4096;

    private final PoolMemory memory;
    private final MemorySegment ring;
    private MemorySegment bounce;
    private MemorySegment copy;
    private final MemorySegment published = Arena.ofAuto().allocate(PAGE, PAGE);
    private volatile ReplicaSlot slot;

    private JournalFile(PoolMemory memory, MemorySegment ring, ReplicaSlot slot) {
        this.memory = memory;
        this.ring = ring;
        this.slot = slot;
        ProgressLayout.write(published, slot);
    }

    /**
     * Makes zeroed memory the journal of a new replica; durable on return. Before that it is taken
     * for damaged, whatever part of it is there.
     *
     * @param runId the run_id that the replica's own descriptor has
     */
    public static void format(PoolMemory memory, long capacity, byte[] poolsetUuid, long runId) {
        format(memory, capacity, poolsetUuid, ReplicaSlot.fresh().withPoolRunId(runId));
    }

    /** The same with any first slot. */
    public static void format(
            PoolMemory memory, long capacity, byte[] poolsetUuid, ReplicaSlot slot) {
        SlotLayout.write(memory.image(), slot);
        long now = System.currentTimeMillis();
        SlotTimes.write(memory.image(), slot.generation(), new SlotTimes(now, now));
        memory.flush(SlotLayout.offsetFor(slot.generation()), SlotTimes.END);
        JournalLayout.writeHeader(memory.image(), capacity, poolsetUuid);
        memory.flush(0, JournalLayout.SLOTS);
        memory.fence();
    }

    /**
     * @param name the file, for messages
     * @throws io.farheap.base.FarheapException category BAD_DATA when it is no journal of that
     *     poolset
     */
    public static JournalFile open(PoolMemory memory, byte[] poolsetUuid, String name) {
        long capacity = JournalLayout.readHeader(memory.image(), poolsetUuid, name);
        return new JournalFile(
                memory,
                memory.image().asSlice(JournalLayout.RING, capacity),
                SlotLayout.read(memory.image(), name));
    }

    /** What is durable about the replica. */
    public ReplicaSlot slot() {
        return slot;
    }

    /** When that became so. */
    public SlotTimes times() {
        return SlotTimes.read(memory.image(), slot.generation());
    }

    /**
     * Replaces the slot; durable on return. Only then the initiator may use ring space again that
     * it frees (docs/protocol.md#free-only-applied). It must be of the next generation.
     */
    public void write(ReplicaSlot next) {
        if (next.generation() != slot.generation() + 1) {
            throw new IllegalStateException("slot of generation " + next.generation());
        }
        SlotTimes.write(memory.image(), slot, next, System.currentTimeMillis());
        SlotLayout.write(memory.image(), next);
        memory.persist(SlotLayout.offsetFor(next.generation()), SlotTimes.END);
        slot = next;
        ProgressLayout.write(published, next); // only now: ring space is used again by it
    }

    /** What the slot says of applied records, for who reads it without asking. */
    public MemorySegment published() {
        return published;
    }

    /** The ring, as the file has it: what the initiator may write to, but for a bounce ring. */
    public MemorySegment ring() {
        return ring;
    }

    /**
     * Memory of no file for the initiator to write to instead: a copy of the ring as it is now.
     * From here on only what {@link #persist} names gets from there into the ring.
     */
    public MemorySegment bounceRing() {
        bounce = Arena.ofAuto().allocate(capacity(), PAGE).copyFrom(ring);
        return bounce;
    }

    /** The initiator writes to the ring itself again. */
    public void dropBounceRing() {
        bounce = null;
    }

    /**
     * Keeps, from here on, what was verified in memory that the initiator can't reach: it tells
     * nobody when it writes to the ring.
     */
    public void keepCopy() {
        copy = Arena.ofAuto().allocate(capacity(), PAGE).copyFrom(ring);
    }

    /** Records are read where they were written again. */
    public void dropCopy() {
        copy = null;
    }

    /** Whether what is verified is a copy of what lies in the ring. */
    public boolean keepsCopy() {
        return copy != null;
    }

    /** Where records are verified and applied from: {@link #take} has brought them there. */
    public MemorySegment records() {
        return copy == null ? ring : copy;
    }

    /** Brings bytes of these positions of the stream, at most a lap, to where they are verified. */
    public void take(long from, long to) {
        if (copy == null) {
            return;
        }
        long length = Math.min(to - from, capacity());
        long at = JournalLayout.ringOffset(from, capacity());
        long first = Math.min(length, capacity() - at);
        MemorySegment.copy(ring, at, copy, at, first);
        MemorySegment.copy(ring, 0, copy, 0, length - first);
    }

    /** How many bytes of the stream the ring holds at most: a lap. */
    public long capacity() {
        return ring.byteSize();
    }

    /** Makes the ring's bytes of these positions of the stream durable; at most a lap. */
    public void persist(long from, long to) {
        long length = Math.min(to - from, capacity());
        long at = JournalLayout.ringOffset(from, capacity());
        long first = Math.min(length, capacity() - at);
        flush(at, first);
        if (length > first) {
            flush(0, length - first);
        }
        memory.fence();
    }

    /** Stores bytes of the stream where the initiator would write them; not durable yet. */
    public void store(long position, byte[] content) {
        MemorySegment into = bounce == null ? ring : bounce;
        long at = JournalLayout.ringOffset(position, capacity());
        int first = (int) Math.min(content.length, capacity() - at);
        MemorySegment bytes = MemorySegment.ofArray(content);
        MemorySegment.copy(bytes, 0, into, at, first);
        MemorySegment.copy(bytes, first, into, 0, content.length - first);
    }

    /**
     * Stores again what these positions of the stream hold; nobody else stores there. Without it a
     * flush would only pretend: pages that the kernel could not write it takes for written, and
     * whoever was told of that may be gone.
     */
    public void storeAgain(long from, long to) {
        long length = Math.min(to - from, capacity());
        long at = JournalLayout.ringOffset(from, capacity());
        long first = Math.min(length, capacity() - at);
        storeAgain(memory, JournalLayout.RING + at, first);
        storeAgain(memory, JournalLayout.RING, length - first);
    }

    /** The same for any bytes of a journal. */
    public static void storeAgain(PoolMemory memory, long offset, long length) {
        for (long page = offset & -PAGE; page < offset + length; page += PAGE) {
            memory.orLong(page, 0);
        }
    }

    private void flush(long at, long length) {
        if (bounce != null) {
            MemorySegment.copy(bounce, at, ring, at, length);
        }
        memory.flush(JournalLayout.RING + at, length);
    }
}
