package io.farheap.engine;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.BufferOverflowException;
import java.util.function.Consumer;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.PointerBytesStore;

/**
 * DRAM that payload lambdas read and write as Chronicle {@code Bytes}: contents are copied from the
 * pool before and into the pool after, because a Chronicle view of the pool itself would store past
 * the undo log and checks no bounds.
 *
 * <p>Owned by one thread between {@link ScratchPool#take} and {@link ScratchPool#put}; outside that
 * its Bytes have no room, so that a lambda's leaked Bytes throws.
 */
public final class Scratch {
    private static final long FIRST_BYTES = 4096;
    private static final long KEPT_BYTES = 1 << 20;

    private final PointerBytesStore store = new PointerBytesStore();
    private final Bytes<?> bytes;
    private final MemorySegment first = Arena.ofAuto().allocate(FIRST_BYTES, Long.BYTES);
    private MemorySegment segment = first;
    private long limit;

    Scratch() {
        store.set(segment.address(), segment.byteSize());
        store.singleThreadedCheckDisabled(true);
        bytes = store.bytesForWrite();
        park();
    }

    /** Where the contents of the Bytes are: index 0 is their position 0. */
    public MemorySegment segment() {
        return segment;
    }

    /** Makes room for {@code length} bytes, to be filled through {@link #segment}. */
    public void prepare(long length) {
        if (length > segment.byteSize()) {
            long size = Math.max(length, 2 * segment.byteSize());
            segment = Arena.ofAuto().allocate(size, Long.BYTES);
        }
        limit = length;
        store.set(segment.address(), length);
        bytes.singleThreadedCheckReset();
    }

    /** The Bytes, holding the {@code length} bytes prepared, to be read. */
    public Bytes<?> forReading() {
        bytes.clear();
        bytes.writeLimit(limit);
        bytes.writePosition(limit);
        return bytes;
    }

    /** The Bytes, empty, with room for the length prepared. */
    Bytes<?> forWriting() {
        bytes.clear();
        bytes.writeLimit(limit);
        return bytes;
    }

    /**
     * Has a lambda write what is to be stored in an object.
     *
     * @param room how many bytes the object has from {@code offset} on
     * @return how many bytes the lambda wrote: its write position
     * @throws FarheapException WRONG_USE when it writes more than that
     */
    public long fill(long object, long offset, long room, Consumer<Bytes<?>> payload) {
        prepare(room);
        try {
            payload.accept(forWriting());
        } catch (BufferOverflowException tooLong) {
            throw tooLong(object, offset, "more than " + room, tooLong);
        }
        long written = written();
        if (written > room) {
            throw tooLong(object, offset, Long.toString(written), null);
        }
        return written;
    }

    long written() {
        return bytes.writePosition();
    }

    private FarheapException tooLong(long object, long offset, String bytesLong, Throwable cause) {
        return FarheapException.wrongUse(
                cause,
                "The payload is %s bytes long and the object at 0x%s has room for %s"
                        + " from offset %s on; allocate a larger one.",
                bytesLong,
                Long.toHexString(object),
                limit,
                offset);
    }

    void park() {
        if (segment.byteSize() > KEPT_BYTES) {
            segment = first;
        }
        limit = 0;
        store.set(segment.address(), 0);
        bytes.singleThreadedCheckReset();
        bytes.clear();
        bytes.writeLimit(0);
    }
}
