package io.farheap.heap;

import io.farheap.base.FarheapException;
import io.farheap.ulog.LogSpace;
import io.farheap.ulog.NoRoomException;
import io.farheap.ulog.RedoOperations;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;

/**
 * Gives the logs of a pool's lanes memory for their extensions, out of its heap. Thread-safe.
 * Extensions are rare: this allocates.
 */
public final class HeapLogSpace implements LogSpace {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Heap heap;
    private final Map<Long, Reservation> reserved = new ConcurrentHashMap<>();
    private final Map<Long, Freeing> releasing = new ConcurrentHashMap<>();

    /** By extension, the word that makes it free: reserved, allocated or just released. */
    private final Map<Long, RedoOperations> lent = new ConcurrentHashMap<>();

    /** Those of what the heap keeps for a full pool. */
    private final Set<Long> borrowed = ConcurrentHashMap.newKeySet();

    private volatile LongConsumer onReleased = word -> {};

    public HeapLogSpace(Heap heap) {
        this.heap = heap;
    }

    /**
     * From now on tells the image offset of the word that a release has changed, after it did and
     * before {@link #layOver} forgets it.
     */
    public void onReleased(LongConsumer listener) {
        onReleased = listener;
    }

    /**
     * Makes the extensions free in a copy of the image: they belong to this image's lanes, and no
     * other copy has them.
     *
     * @param offset where the copy begins in the image
     */
    public void layOver(long offset, MemorySegment copy, long length) {
        for (RedoOperations free : lent.values()) {
            long at = free.offset(0) - offset;
            if (at >= 0 && at + Long.BYTES <= length) {
                long value = free.value(0);
                boolean whole = free.kind(0) == RedoOperations.Kind.SET;
                copy.set(WORD, at, whole ? value : copy.get(WORD, at) & value);
            }
        }
    }

    @Override
    public long reserve(long size, RedoOperations into) {
        Reservation reservation = new Reservation();
        obtain(size, reservation);
        heap.flushHeader(reservation);
        reserved.put(reservation.userOffset(), reservation);
        RedoOperations free = new RedoOperations();
        reservation.addInverseTo(free);
        lent.put(reservation.userOffset(), free);
        reservation.addTo(into);
        return reservation.userOffset();
    }

    private void obtain(long size, Reservation out) {
        try {
            heap.reserve(size, 0, Heap.INTERNAL, out);
        } catch (NoRoomException full) {
            borrow(size, out, full);
        }
    }

    private void borrow(long size, Reservation out, NoRoomException full) {
        try {
            heap.reserveForLog(size, out);
        } catch (NoRoomException none) {
            full.addSuppressed(none);
            throw full;
        }
        borrowed.add(out.userOffset());
    }

    @Override
    public boolean mayStay(long userOffset) {
        return borrowed.isEmpty() || !borrowed.contains(userOffset);
    }

    @Override
    public void allocated(long userOffset) {
        heap.published(taken(reserved, userOffset));
    }

    @Override
    public void cancelled(long userOffset) {
        lent.remove(userOffset);
        borrowed.remove(userOffset);
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
        RedoOperations free = lent.get(userOffset);
        if (free != null) {
            onReleased.accept(free.offset(0));
            lent.remove(userOffset);
        }
        borrowed.remove(userOffset);
        heap.freed(taken(releasing, userOffset));
    }

    @Override
    public boolean isData(long offset, long length) {
        return heap.isInChunks(offset, length);
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
            throw FarheapException.wrongUse(
                    "no change of the log extension at offset %s is under way: name its"
                            + " words first",
                    userOffset);
        }
        return value;
    }
}
