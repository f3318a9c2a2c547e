package io.farheap.ulog;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;

/**
 * The smallest allocator that the logs can live on: slots of one size, one bitmap word at the
 * heap's start. Its memory is full of words that would be harmful entries if a log took them for
 * such.
 */
final class ModelSpace implements LogSpace {
    private static final long HEADER = 16;

    private final PoolMemory memory;
    private final long heap;
    private final long slotSize;
    private final int slots;
    private long reserved;
    private boolean reusing;
    private Runnable expendableStep = () -> {};

    /** The space of an image; reads what is allocated from the bitmap. */
    ModelSpace(PoolMemory memory, long heap, long slotSize, int slots) {
        this.memory = memory;
        this.heap = heap;
        this.slotSize = slotSize;
        this.slots = slots;
    }

    /**
     * Runs {@code action} whenever a slot was filled with garbage, an extension has been linked, or
     * one is about to be unlinked.
     */
    void afterExpendableStep(Runnable action) {
        expendableStep = action;
    }

    /** From now on every slot is full of garbage again when it is reserved. */
    ModelSpace reusingMemory() {
        reusing = true;
        return this;
    }

    /** Fills all slots with entries that set {@code victim} to a wrong value. */
    void poison(long victim) {
        for (int i = 0; i < slots; i++) {
            poison(i, victim);
        }
    }

    /** What the owner before left there. */
    private void poison(int index, long victim) {
        for (long at = slot(index); at < slot(index + 1); at += LogLayout.WORD_ENTRY_SIZE) {
            memory.putLong(at, LogLayout.firstWord(LogLayout.SET, victim));
            memory.putLong(at + Long.BYTES, 0xBAD_BAD_BADL);
        }
        memory.persist(slot(index), slotSize);
    }

    /** The bits of the slots in use. */
    long allocated() {
        return memory.getLong(heap);
    }

    @Override
    public long reserve(long size, RedoOperations into) {
        long free = ~(allocated() | reserved) & ((1L << slots) - 1);
        if (free == 0 || size > slotSize - HEADER) {
            throw new NoRoomException("no room for a log extension");
        }
        int index = Long.numberOfTrailingZeros(free);
        if (reusing) {
            poison(index, slot(slots));
            expendableStep.run();
        }
        reserved |= 1L << index;
        into.or(heap, 1L << index);
        return slot(index) + HEADER;
    }

    @Override
    public boolean mayStay(long userOffset) {
        return true;
    }

    @Override
    public void allocated(long userOffset) {
        reserved &= ~bit(userOffset);
        expendableStep.run();
    }

    @Override
    public void cancelled(long userOffset) {
        reserved &= ~bit(userOffset);
    }

    @Override
    public long usableSize(long userOffset) {
        long unused = bit(userOffset);
        return slotSize - HEADER;
    }

    @Override
    public void release(long userOffset, RedoOperations into) {
        expendableStep.run();
        long bit = bit(userOffset);
        if ((allocated() & bit) == 0) {
            throw new FarheapException(Category.BAD_DATA, "not allocated: " + userOffset);
        }
        into.and(heap, ~bit);
    }

    @Override
    public void released(long userOffset) {}

    private long slot(int index) {
        return heap + 64 + index * slotSize;
    }

    private long bit(long userOffset) {
        long inSlots = userOffset - HEADER - slot(0);
        if (inSlots < 0 || inSlots % slotSize != 0 || inSlots / slotSize >= slots) {
            throw new FarheapException(Category.BAD_DATA, "no object at " + userOffset);
        }
        return 1L << (inSlots / slotSize);
    }

    @Override
    public boolean isData(long offset, long length) {
        return offset >= slot(0) && length <= slot(slots) - offset;
    }
}
