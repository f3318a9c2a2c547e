package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.ObjectAccess;
import io.farheap.engine.PoolEngine;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * One transaction, or one read, of one thread: the only way by which typed objects, values and
 * collections reach the bytes of the pool.
 *
 * <p>Objects are image offsets of user data, offsets and lengths bytes inside them; numbers are
 * little-endian. What is read and written of one object conflicts as a whole. Of a <em>shared</em>
 * object (a large one with parts for many: an array of buckets, counters' cells) each line of 64
 * bytes of the image conflicts by itself: such an object is reached by the methods with that word
 * and by no others, all its life. Ranges are the caller's to check: his layout classes know them.
 */
public final class HeapTransaction {
    private final PoolEngine engine;
    private final PoolMemory memory;

    /** Null in a read. */
    private final LaneTransaction lane;

    private final ObjectAccess objects;
    private final List<Runnable> afterCommit;

    HeapTransaction(PoolEngine engine, LaneTransaction lane, List<Runnable> afterCommit) {
        this.engine = engine;
        this.memory = engine.image();
        this.lane = lane;
        this.objects = lane == null ? null : lane.objects();
        this.afterCommit = afterCommit;
    }

    /** Whether it may change anything. */
    public boolean isWriter() {
        return lane != null;
    }

    /**
     * Refuses a read.
     *
     * @throws FarheapException WRONG_USE in a read
     */
    public void requireWriter() {
        if (lane == null) {
            throw FarheapException.wrongUse(
                    "A read can't change the heap; use transaction() for what changes it.");
        }
    }

    // ---- objects that conflict as a whole ----

    public long getLong(long object, long offset) {
        return lane == null ? memory.getLong(object + offset) : objects.getLong(object, offset);
    }

    public int getInt(long object, long offset) {
        return lane == null ? memory.getInt(object + offset) : objects.getInt(object, offset);
    }

    public short getShort(long object, long offset) {
        return lane == null ? memory.getShort(object + offset) : objects.getShort(object, offset);
    }

    public byte getByte(long object, long offset) {
        return lane == null ? memory.getByte(object + offset) : objects.getByte(object, offset);
    }

    /** Copies {@code length} bytes of an object, own writes included, to {@code target}. */
    public void read(
            long object, long offset, MemorySegment target, long targetOffset, long length) {
        if (lane == null) {
            memory.copyOut(object + offset, target, targetOffset, length);
        } else {
            objects.read(object, offset, target, targetOffset, length);
        }
    }

    public void setLong(long object, long offset, long value) {
        requireWriter();
        objects.setLong(object, offset, value);
    }

    public void setInt(long object, long offset, int value) {
        requireWriter();
        objects.setInt(object, offset, value);
    }

    public void setShort(long object, long offset, short value) {
        requireWriter();
        objects.setShort(object, offset, value);
    }

    public void setByte(long object, long offset, byte value) {
        requireWriter();
        objects.setByte(object, offset, value);
    }

    /** Copies {@code length} bytes of {@code source} into an object. */
    public void write(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        requireWriter();
        objects.write(object, offset, source, sourceOffset, length);
    }

    // ---- shared objects, that conflict by lines ----

    /** As {@link #getLong}, of a shared object; the offset is a multiple of 8. */
    public long getSharedLong(long object, long offset) {
        return getLong(object, offset);
    }

    /** As {@link #setLong}, of a shared object; the offset is a multiple of 8. */
    public void setSharedLong(long object, long offset, long value) {
        setLong(object, offset, value);
    }

    /** As {@link #read}, of a shared object. */
    public void readShared(
            long object, long offset, MemorySegment target, long targetOffset, long length) {
        read(object, offset, target, targetOffset, length);
    }

    /** As {@link #write}, of a shared object. */
    public void writeShared(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        write(object, offset, source, sourceOffset, length);
    }

    // ---- objects that come and go ----

    /**
     * Allocates an object, all bytes 0, that exists when the transaction commits.
     *
     * @param size bytes, at least 1
     * @param typeNumber libpmemobj's; of a typed object its type id
     */
    public long allocate(long size, long typeNumber) {
        requireWriter();
        return lane.allocate(size, typeNumber, true);
    }

    /** Frees an object with the commit; it is not shared. */
    public void free(long object) {
        requireWriter();
        lane.free(object);
    }

    /** Frees a shared object with the commit. */
    public void freeShared(long object) {
        requireWriter();
        lane.free(object);
    }

    /** Bytes that an object has room for. */
    public long usableSize(long object) {
        return lane == null ? engine.usableSize(object) : lane.usableSize(object);
    }

    /** The root object of the pool; 0 for none. */
    public long root() {
        return lane == null ? engine.rootOffset() : lane.rootOffset();
    }

    /** Runs an action once, in this thread, after this transaction is durable. */
    public void afterCommit(Runnable action) {
        requireWriter();
        afterCommit.add(action);
    }
}
