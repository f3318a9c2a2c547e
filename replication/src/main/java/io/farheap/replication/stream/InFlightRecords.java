package io.farheap.replication.stream;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * The records that are between claim and local commit, one slot each: where each ends in the
 * stream, how far it is, and who waits for it. A slot is used again {@link #SLOTS} records later,
 * once its record is committed and posted. Thread-safe, without locks.
 */
final class InFlightRecords {
    static final int SLOTS = 4096;

    private static final int CLAIMED = 0;
    private static final int READY = 1;
    private static final int COMMITTED = 2;

    /** Carries nothing: committed from the start, and no news to anybody. */
    private static final int EMPTY = 3;

    /** sequence * 4 + state: a slot's earlier users are told apart by their sequence number. */
    private final AtomicLongArray states = new AtomicLongArray(SLOTS);

    private final AtomicReferenceArray<Thread> waiters = new AtomicReferenceArray<>(SLOTS);
    private final long[] ends = new long[SLOTS];
    private final long[] trailers = new long[SLOTS];
    private final AtomicLong committedUpTo = new AtomicLong();
    private final AtomicLong lastCommittedData = new AtomicLong();

    private static int slot(long sequence) {
        return (int) (sequence & (SLOTS - 1));
    }

    private static long code(long sequence, int state) {
        return sequence * 4 + state;
    }

    /**
     * Takes the record's slot.
     *
     * @param end the stream position where it ends
     * @param trailer the one where its trailer will be
     */
    void claim(long sequence, long end, long trailer) {
        ends[slot(sequence)] = end;
        trailers[slot(sequence)] = trailer;
        states.set(slot(sequence), code(sequence, CLAIMED));
    }

    /** The record is encoded. */
    void ready(long sequence) {
        states.set(slot(sequence), code(sequence, READY));
    }

    boolean isReady(long sequence) {
        return states.get(slot(sequence)) >= code(sequence, READY);
    }

    /** Where a ready record ends. */
    long end(long sequence) {
        return ends[slot(sequence)];
    }

    /** Where the trailer of a ready record is. */
    long trailer(long sequence) {
        return trailers[slot(sequence)];
    }

    /** A claimed record will be shorter than its place. */
    void moveTrailer(long sequence, long to) {
        trailers[slot(sequence)] = to;
    }

    /** The record is committed locally: {@link #committedUpTo} moves on as far as it can. */
    void commit(long sequence) {
        finish(sequence, COMMITTED);
    }

    /** The record is encoded and carries nothing. */
    void empty(long sequence) {
        finish(sequence, EMPTY);
    }

    private void finish(long sequence, int how) {
        states.set(slot(sequence), code(sequence, how));
        while (true) {
            long next = committedUpTo.get() + 1;
            long state = states.get(slot(next));
            if (state != code(next, COMMITTED) && state != code(next, EMPTY)) {
                return;
            }
            if (committedUpTo.compareAndSet(next - 1, next) && state == code(next, COMMITTED)) {
                raise(lastCommittedData, next);
            }
        }
    }

    /** Raises a number that only grows. */
    static void raise(AtomicLong number, long to) {
        long known = number.get();
        while (known < to && !number.compareAndSet(known, to)) {
            known = number.get();
        }
    }

    /** The largest c with all of 1..c committed locally. */
    long committedUpTo() {
        return committedUpTo.get();
    }

    /** The last of them that carries something. */
    long lastCommittedData() {
        return lastCommittedData.get();
    }

    /** Names the calling thread as the one that waits for that record. */
    void waitFor(long sequence) {
        waiters.set(slot(sequence), Thread.currentThread());
    }

    void waitNoMore(long sequence) {
        waiters.set(slot(sequence), null);
    }

    /** Wakes whoever waits for one of the records after {@code from} up to {@code to}. */
    void wake(long from, long to) {
        for (long sequence = Math.max(from, to - SLOTS) + 1; sequence <= to; sequence++) {
            Thread waiter = waiters.get(slot(sequence));
            if (waiter != null) {
                LockSupport.unpark(waiter);
            }
        }
    }

    /** Wakes one of those who wait for the records after {@code from} up to {@code to}. */
    void wakeOne(long from, long to) {
        for (long sequence = Math.max(from, to - SLOTS) + 1; sequence <= to; sequence++) {
            Thread waiter = waiters.get(slot(sequence));
            if (waiter != null) {
                LockSupport.unpark(waiter);
                return;
            }
        }
    }
}
