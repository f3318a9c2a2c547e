package io.farheap.engine;

import io.farheap.base.AllocationOptions;
import io.farheap.heap.Freeing;
import io.farheap.heap.Heap;
import io.farheap.heap.Reservation;
import io.farheap.ulog.RedoOperations;
import java.util.Arrays;

/**
 * The objects one transaction allocated and freed: reserved in DRAM, published by the words of its
 * redo log, or cancelled. The objects of the heap that describe them are kept and used again.
 */
final class Allocations {
    private final Heap heap;
    private Reservation[] reservations = new Reservation[8];
    private boolean[] live = new boolean[8];
    private boolean[] flushed = new boolean[8];

    /** Whether somebody may still store into the place when the object is cancelled. */
    private boolean[] held = new boolean[8];

    private int reserved;
    private Freeing[] freeings = new Freeing[8];
    private int freed;

    /** The words of what is freed, once there are many: a word of a bitmap frees 64 objects. */
    private final RedoOperations merged = new RedoOperations();

    private boolean merges;

    Allocations(Heap heap) {
        this.heap = heap;
    }

    /** How many reservations were made, those cancelled since included: the bound for indexes. */
    int reservedCount() {
        return reserved;
    }

    /** Whether reservation {@code index} was not cancelled. */
    boolean isLive(int index) {
        return live[index];
    }

    Reservation reservation(int index) {
        return reservations[index];
    }

    /** How many redo operations this will take, at most. */
    int actions() {
        return reserved + (merges ? merged.size() : freed);
    }

    /** From now on counts the words that objects to be freed have in common once. */
    void mergeFrees() {
        if (!merges) {
            merged.clear();
            for (int i = 0; i < freed; i++) {
                freeings[i].addTo(merged);
            }
            merges = true;
        }
    }

    boolean hasFresh() {
        for (int i = 0; i < reserved; i++) {
            if (live[i]) {
                return true;
            }
        }
        return false;
    }

    /** Whether the content of reservation {@code index} is made durable by the commit. */
    boolean isFlushed(int index) {
        return flushed[index];
    }

    /** Reserves an object and returns its index. */
    int reserve(long size, long typeNumber, int objectFlags, AllocationOptions options) {
        makeRoom();
        if (reservations[reserved] == null) {
            reservations[reserved] = new Reservation();
        }
        live[reserved] = true;
        held[reserved] = false;
        flushed[reserved] = !options.noFlush();
        reserve(heap, size, typeNumber, objectFlags, options, reservations[reserved]);
        return reserved++;
    }

    /** Reserves an object that nobody owns yet. */
    static void reserve(
            Heap heap,
            long size,
            long typeNumber,
            int objectFlags,
            AllocationOptions options,
            Reservation out) {
        heap.reserve(
                size, typeNumber, objectFlags, options.allocationClass(), options.arena(), out);
    }

    /**
     * Takes over what somebody reserved, as the next index.
     *
     * @return one that is not in use, for the giver to go on with
     */
    Reservation adopt(Reservation reservation, boolean isFlushed) {
        makeRoom();
        Reservation unused = reservations[reserved];
        reservations[reserved] = reservation;
        live[reserved] = true;
        held[reserved] = false;
        flushed[reserved] = isFlushed;
        reserved++;
        return unused == null ? new Reservation() : unused;
    }

    private void makeRoom() {
        if (reserved == reservations.length) {
            boolean[] moreLive = Arrays.copyOf(live, 2 * reserved);
            boolean[] moreFlushed = Arrays.copyOf(flushed, 2 * reserved);
            boolean[] moreHeld = Arrays.copyOf(held, 2 * reserved);
            reservations = Arrays.copyOf(reservations, 2 * reserved);
            live = moreLive;
            flushed = moreFlushed;
            held = moreHeld;
        }
    }

    /**
     * From now on the place of reservation {@code index} is nobody else's before all ends, also
     * when it is cancelled: a segment of it was given out, or a word of it is to be set.
     */
    void hold(int index) {
        held[index] = true;
    }

    /** The object is not to be; its place is free at once, or once all ends ({@link #hold}). */
    void cancel(int index) {
        if (!held[index]) {
            heap.cancel(reservations[index]);
        }
        live[index] = false;
    }

    /**
     * Notes that an allocated object is to be freed by the commit.
     *
     * @param internal whether it may be an internal one; else such a one is refused
     */
    void free(long object, boolean internal) {
        if (freed == freeings.length) {
            freeings = Arrays.copyOf(freeings, 2 * freed);
        }
        if (freeings[freed] == null) {
            freeings[freed] = new Freeing();
        }
        heap.prepareFree(object, internal, freeings[freed]);
        freed++;
        if (merges) {
            freeings[freed - 1].addTo(merged);
        }
    }

    void addTo(RedoOperations words) {
        for (int i = 0; i < reserved; i++) {
            if (live[i]) {
                reservations[i].addTo(words);
            }
        }
        if (merges) {
            words.addAll(merged);
            return;
        }
        for (int i = 0; i < freed; i++) {
            freeings[i].addTo(words);
        }
    }

    /** The words are applied, durably: what was freed may be used again. */
    void published() {
        for (int i = 0; i < reserved; i++) {
            if (live[i]) {
                heap.published(reservations[i]);
            } else if (held[i]) {
                heap.cancel(reservations[i]);
            }
        }
        for (int i = 0; i < freed; i++) {
            heap.freed(freeings[i]);
        }
        reserved = 0;
        freed = 0;
        merges = false;
    }

    /** Nothing of it happened. */
    void cancelAll() {
        for (int i = 0; i < reserved; i++) {
            if (live[i] || held[i]) {
                heap.cancel(reservations[i]);
            }
        }
        for (int i = 0; i < freed; i++) {
            heap.cancelFree(freeings[i]);
        }
        reserved = 0;
        freed = 0;
        merges = false;
    }
}
