package io.farheap.engine;

import io.farheap.base.AllocationOptions;
import io.farheap.base.FarheapException;
import io.farheap.heap.Reservation;
import java.util.Arrays;

/**
 * Allocations, frees and stores of words that are decided now and happen later, all in one commit;
 * until then in DRAM only. Used again and again; allocates only to grow. Not thread-safe, but may
 * go from thread to thread.
 */
public final class ActionList {
    private static final int FIRST_CAPACITY = 8;

    private final PoolEngine engine;

    private Reservation[] reservations = new Reservation[FIRST_CAPACITY];
    private boolean[] flushed = new boolean[FIRST_CAPACITY];
    private int reserved;

    private long[] freed = new long[FIRST_CAPACITY];
    private int frees;

    private long[] holders = new long[FIRST_CAPACITY];
    private long[] offsets = new long[FIRST_CAPACITY];
    private long[] values = new long[FIRST_CAPACITY];
    private int words;

    public ActionList(PoolEngine engine) {
        this.engine = engine;
    }

    /** How many actions there are. */
    public int size() {
        return reserved + frees + words;
    }

    /** How many objects are reserved. */
    public int reservedCount() {
        return reserved;
    }

    /** Reserves an object; nobody else is given its place until {@link #cancel}. */
    public long reserve(long size, long typeNumber, AllocationOptions options) {
        if (reserved == reservations.length) {
            boolean[] moreFlushed = Arrays.copyOf(flushed, 2 * reserved);
            reservations = Arrays.copyOf(reservations, 2 * reserved);
            flushed = moreFlushed;
        }
        if (reservations[reserved] == null) {
            reservations[reserved] = new Reservation();
        }
        flushed[reserved] = !options.noFlush();
        engine.reserve(size, typeNumber, options, reservations[reserved]);
        return reservations[reserved++].userOffset();
    }

    /** Frees an object with the others, once. */
    public void free(long object) {
        engine.checkReadable(object, 0, 0);
        for (int i = 0; i < frees; i++) {
            if (freed[i] == object) {
                throw refused(object, "is to be freed by these actions already; free it once.");
            }
        }
        if (!engine.heap().isPublished(object)) {
            throw refused(object, "is only reserved and can't be freed; cancel that instead.");
        }
        if (frees == freed.length) {
            freed = Arrays.copyOf(freed, 2 * frees);
        }
        freed[frees++] = object;
    }

    private static FarheapException refused(long object, String why) {
        return FarheapException.wrongUse("The object at 0x%s %s", Long.toHexString(object), why);
    }

    /** Sets an aligned word of an object with the others; the last value for a word counts. */
    public void set(long object, long offset, long value) {
        engine.checkReadable(object, offset, Long.BYTES);
        engine.refuseTyped(object);
        LaneTransaction.checkWordOffset(object + offset);
        if (words == holders.length) {
            long[] moreOffsets = Arrays.copyOf(offsets, 2 * words);
            long[] moreValues = Arrays.copyOf(values, 2 * words);
            holders = Arrays.copyOf(holders, 2 * words);
            offsets = moreOffsets;
            values = moreValues;
        }
        holders[words] = object;
        offsets[words] = offset;
        values[words++] = value;
    }

    /** Does it all in an operation of its own; whatever happens, the list is empty afterwards. */
    public void publish() {
        if (size() == 0) {
            return;
        }
        try {
            LaneTransaction lane = engine.operation();
            try {
                moveTo(lane);
                lane.commit();
            } catch (Throwable failure) {
                lane.abort(failure);
                throw failure;
            }
        } finally {
            cancel();
        }
    }

    /**
     * Makes it part of a transaction, all or nothing: it happens when that commits. The list is
     * empty when this returns, and as before when it throws.
     */
    public void moveTo(LaneTransaction lane) {
        lane.checkUsable();
        for (int i = 0; i < frees; i++) {
            lane.objects().checkChangeable(freed[i]);
            lane.checkFreeable(freed[i]);
        }
        for (int i = 0; i < words; i++) {
            lane.objects().checkReadable(holders[i], offsets[i], Long.BYTES);
            engine.refuseTyped(holders[i]);
        }
        lane.makeRoom(size());
        // Another thread may free a holder or an object now: then no word may lead to what is not
        // adopted.
        for (int i = 0; i < words; i++) {
            lane.objects().holdForWord(holders[i], offsets[i]);
        }
        for (int i = 0; i < frees; i++) {
            lane.free(freed[i]);
        }
        for (int i = 0; i < words; i++) {
            lane.setWord(holders[i] + offsets[i], values[i]);
        }
        for (int i = 0; i < reserved; i++) {
            reservations[i] = lane.adopt(reservations[i], flushed[i]);
        }
        clear();
    }

    /** Gives the reservations back and forgets the rest. Nothing persistent changes. */
    public void cancel() {
        if (!engine.isClosed()) {
            for (int i = 0; i < reserved; i++) {
                engine.heap().cancel(reservations[i]);
            }
        } else {
            Arrays.fill(reservations, null);
        }
        clear();
    }

    private void clear() {
        reserved = 0;
        frees = 0;
        words = 0;
    }
}
