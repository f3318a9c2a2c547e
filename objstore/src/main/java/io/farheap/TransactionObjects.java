package io.farheap;

import io.farheap.base.Ref;
import io.farheap.engine.LaneTransaction;
import io.farheap.heap.Heap;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Objects in heap order; with a transaction, as it sees them. Knows the next one before it gives
 * the present one out, so the present one may be freed.
 */
final class TransactionObjects implements Iterator<Ref> {
    private final LaneTransaction lane;
    private final Heap heap;
    private final long poolId;
    private final boolean anyType;
    private final long typeNumber;
    private boolean walksHeap = true;
    private int freshIndex;
    private long next;

    private TransactionObjects(
            LaneTransaction lane, Heap heap, long poolId, boolean anyType, long typeNumber) {
        this.lane = lane;
        this.heap = heap;
        this.poolId = poolId;
        this.anyType = anyType;
        this.typeNumber = typeNumber;
        this.next = heap.first();
        settle();
    }

    /**
     * @param lane null: as somebody outside a transaction sees them
     */
    static Iterator<Ref> all(LaneTransaction lane, Heap heap, long poolId) {
        return new TransactionObjects(lane, heap, poolId, true, 0);
    }

    /**
     * @param lane null: as somebody outside a transaction sees them
     */
    static Iterator<Ref> ofType(LaneTransaction lane, Heap heap, long poolId, long typeNumber) {
        return new TransactionObjects(lane, heap, poolId, false, typeNumber);
    }

    @Override
    public boolean hasNext() {
        return next != Heap.NONE;
    }

    @Override
    public Ref next() {
        if (next == Heap.NONE) {
            throw new NoSuchElementException("There are no more objects.");
        }
        Ref present = new Ref(poolId, next);
        advance();
        settle();
        return present;
    }

    /** Moves on until {@link #next} is an object to give out, or there is none. */
    private void settle() {
        if (lane != null) {
            lane.checkUsable();
        }
        while (true) {
            if (next == Heap.NONE) {
                if (!walksHeap || lane == null) {
                    return;
                }
                walksHeap = false;
                advance();
                if (next == Heap.NONE) {
                    return;
                }
            }
            if (isWanted(next)) {
                return;
            }
            advance();
        }
    }

    private void advance() {
        if (walksHeap) {
            next = heap.next(next);
            return;
        }
        next = Heap.NONE;
        while (next == Heap.NONE && freshIndex < lane.freshCount()) {
            next = lane.fresh(freshIndex++);
        }
    }

    private boolean isWanted(long object) {
        if (lane != null && lane.isFreedHere(object)) {
            return false;
        }
        return anyType || heap.isOfType(object, typeNumber);
    }
}
