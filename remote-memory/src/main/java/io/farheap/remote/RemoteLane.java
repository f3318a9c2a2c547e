package io.farheap.remote;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import java.lang.foreign.MemorySegment;

/**
 * One of a remote pool's lanes: it carries one operation at a time, and operations of different
 * lanes go on at once. What a thread has persisted is there for all lanes. Thread-safe; threads
 * that share a lane wait for each other. Persisting and flushing allocate nothing in the steady
 * state.
 *
 * <p>Offsets and lengths are bytes of the program's memory, and of the pool: both begin alike. The
 * first 4096 are the target's header: they can be read, and nothing else.
 */
public final class RemoteLane {
    private final MemoryLink link;
    private final MemorySegment memory;
    private final long maxBytes;
    private final RecordSource copy = this::copyTo;
    private long copyOffset;
    private long copyLength;

    /** The last record that was sent and not waited for; 0: none. */
    private long flushed;

    private boolean ended;

    RemoteLane(MemoryLink link, MemorySegment memory) {
        this.link = link;
        this.memory = memory;
        this.maxBytes = link.maxCopyBytes();
    }

    /**
     * Makes a range of the memory durable on the target; it is when this returns. After a crash of
     * either side before that, all of the range is there or nothing of it, where it is no longer
     * than half the target's journal; of a longer one a beginning may be there. Ranges persisted
     * one after the other are there in that order.
     *
     * @throws FarheapException category WRONG_USE when the range is none of the memory behind the
     *     header; REPLICA when the target does not answer in time or is lost: whether the range is
     *     there is unknown then, and the pool must be closed and opened again
     */
    public void persist(long offset, long length) {
        persist(offset, length, PersistMode.WHOLE_WORDS);
    }

    /** The same, saying what a crash may leave of it. */
    public synchronized void persist(long offset, long length, PersistMode mode) {
        flush(offset, length, mode);
        drain();
    }

    /**
     * As {@link #persist(long, long)}. Every persist reaches what survives a loss of power on the
     * target, as far as its agent was told the truth about that; there is nothing deeper.
     */
    public void deepPersist(long offset, long length) {
        persist(offset, length);
    }

    /**
     * Sends a range of the memory to the target and does not wait: {@link #drain} does. The memory
     * may change as soon as this returns.
     */
    public void flush(long offset, long length) {
        flush(offset, length, PersistMode.WHOLE_WORDS);
    }

    /** The same, saying what a crash may leave of it. */
    public synchronized void flush(long offset, long length, PersistMode mode) {
        requireRange(offset, length, PoolHeader.SIZE);
        if (mode == null) {
            throw FarheapException.wrongUse("no mode of persisting was given");
        }
        for (long done = 0; done < length; done += maxBytes) {
            copyOffset = offset + done;
            copyLength = Math.min(maxBytes, length - done);
            flushed = link.append(RecordEntries.copyEntryBytes(copyLength), copy);
        }
    }

    private void copyTo(RecordEntries entries) {
        entries.copy(copyOffset, memory, copyOffset, copyLength);
    }

    /** Waits until everything that this lane has flushed is durable on the target. */
    public synchronized void drain() {
        requireOpen();
        if (flushed != 0) {
            link.awaitDurable(flushed);
            flushed = 0;
        }
    }

    /**
     * Reads the target's copy, with everything that any lane has persisted and this one has
     * flushed.
     *
     * @param into of which the first {@code length} bytes are overwritten; may be a part of the
     *     memory
     */
    public synchronized void read(MemorySegment into, long offset, long length) {
        requireRange(offset, length, 0);
        if (into.byteSize() < length) {
            throw FarheapException.wrongUse(
                    "%s bytes are to be read into %s bytes", length, into.byteSize());
        }
        drain();
        link.read(offset, into, 0, length);
    }

    private void requireRange(long offset, long length, long begin) {
        requireOpen();
        long size = memory.byteSize();
        if (offset < begin || offset >= size || length < 0 || length > size - offset) {
            throw FarheapException.wrongUse(
                    "%s bytes at offset %s are not in the remote pool's memory, which is"
                            + " from %s to %s%s",
                    length,
                    offset,
                    begin,
                    size,
                    begin > 0 ? "; what is before it is the target's header" : "");
        }
    }

    private void requireOpen() {
        if (ended) {
            throw FarheapException.wrongUse("the remote pool is closed");
        }
    }

    /** When this returns no operation is under way, and none will be. */
    synchronized void end() {
        ended = true;
    }
}
