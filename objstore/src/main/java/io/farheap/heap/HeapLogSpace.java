package io.farheap.heap;

import io.farheap.FarheapException;
import io.farheap.ulog.LogSpace;
import io.farheap.ulog.RedoOperations;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives the logs of a pool's lanes memory for their extensions, out of its heap. Thread-safe.
 * Extensions are rare: this allocates.
 */
public final class HeapLogSpace implements LogSpace {
    private final Heap heap;
    private final Map<Long, Reservation> reserved = new ConcurrentHashMap<>();
    private final Map<Long, Freeing> releasing = new ConcurrentHashMap<>();

    public HeapLogSpace(Heap heap) {
        this.heap = heap;
    }

    @Override
    public long reserve(long size, RedoOperations into) {
        Reservation reservation = new Reservation();
        heap.reserve(size, 0, Heap.INTERNAL, reservation);
        heap.flushHeader(reservation);
        reserved.put(reservation.userOffset(), reservation);
        reservation.addTo(into);
        return reservation.userOffset();
    }

    @Override
    public void allocated(long userOffset) {
        heap.published(taken(reserved, userOffset));
    }

    @Override
    public void cancelled(long userOffset) {
        heap.cancel(taken(reserved, userOffset));
    }

    @Override
    public long usableSize(long userOffset) {
        requireExtension(userOffset);
        return heap.usableSize(userOffset);
    }

    @Override
    public void release(long userOffset, RedoOperations into) {
        requireExtension(userOffset);
        Freeing freeing = new Freeing();
        heap.prepareFree(userOffset, freeing);
        releasing.put(userOffset, freeing);
        freeing.addTo(into);
    }

    @Override
    public void released(long userOffset) {
        heap.freed(taken(releasing, userOffset));
    }

    private void requireExtension(long userOffset) {
        if (!heap.isAllocated(userOffset) || !heap.isInternal(userOffset)) {
            throw HeapErrors.bad(
                    userOffset, "a log leads to an extension that is no internal object");
        }
    }

    private static <T> T taken(Map<Long, T> from, long userOffset) {
        T value = from.remove(userOffset);
        if (value == null) {
            throw new FarheapException(
                    FarheapException.Category.WRONG_USE,
                    "no change of the log extension at offset "
                            + userOffset
                            + " is under way: name its words first");
        }
        return value;
    }
}
