package io.farheap.ulog;

/**
 * What the logs need of an allocator: memory for their extensions. The heap implements it.
 *
 * <p>The allocator's words go through the lane's internal redo log together with the link to the
 * extension, so an extension is never linked and free, nor allocated and lost. Each change is a
 * pair of calls: one that names the words, and one that says what became of them. Offsets are image
 * offsets of user data in bytes. Thread-safe: lanes of different threads extend at the same time;
 * no lock may be held between the two calls of a pair.
 */
public interface LogSpace {

    /**
     * Reserves an internal object (type number 0, flags 0x8000). Its header is written and flushed,
     * not fenced. Nothing durable says yet that it is allocated.
     *
     * @param size least usable bytes
     * @param into gets the words that allocate it, at most 2
     * @return the object's user offset; followed by {@link #allocated} or {@link #cancelled}
     * @throws NoRoomException when the pool has no room for it
     */
    long reserve(long size, RedoOperations into);

    /**
     * Whether a log may keep the object from one transaction to the next; false: it is of what is
     * kept for all logs of a full pool.
     */
    boolean mayStay(long userOffset);

    /** The words of the reservation are applied, durably. */
    void allocated(long userOffset);

    /** The words of the reservation were never stored: the object is free again. */
    void cancelled(long userOffset);

    /**
     * Usable bytes of the object at {@code userOffset}, reserved or allocated.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when no object starts there
     */
    long usableSize(long userOffset);

    /**
     * Names the words that free an object; it stays allocated until {@link #released}.
     *
     * @param into gets the words, at most 2
     * @throws io.farheap.base.FarheapException BAD_DATA when no allocated internal object starts
     *     there
     */
    void release(long userOffset, RedoOperations into);

    /** The words of the release are applied, durably: the memory may be used again. */
    void released(long userOffset);

    /** Whether all of a range is memory for objects: none of it says which memory is in use. */
    boolean isData(long offset, long length);
}
