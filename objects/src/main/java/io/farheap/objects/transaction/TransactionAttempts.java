package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import io.farheap.base.TransactionConflictException;
import java.util.function.Function;

/**
 * Runs the body of a transaction until it meets no conflict: again after whoever won has finished,
 * and alone after {@value #MOST_CONFLICTS} conflicts or {@value #MOST_MILLIS} ms. Thread-safe.
 */
final class TransactionAttempts {
    static final int MOST_CONFLICTS = 16;
    static final int MOST_MILLIS = 10;
    private static final long MOST_NANOS = MOST_MILLIS * 1_000_000L;

    /** Waits of {@link Pause} for whoever won a conflict: some milliseconds. */
    private static final int LONGEST_WAIT = 200;

    /** In place of a result. */
    private static final Object CONFLICT = new Object();

    private final HeapState heap;
    private final HeapTransactions door;

    TransactionAttempts(HeapState heap, HeapTransactions door) {
        this.heap = heap;
        this.door = door;
    }

    /** Runs a transaction that is not under way yet; returns the body's result. */
    Object run(HeapTransaction tx, Function<HeapTransaction, ?> body) {
        Object result = attempt(tx, body);
        return result == CONFLICT ? again(tx, body) : result;
    }

    /** Runs a body after a conflict until it meets none. */
    private Object again(HeapTransaction tx, Function<HeapTransaction, ?> body) {
        long begin = System.nanoTime();
        int conflicts = 1;
        while (conflicts < MOST_CONFLICTS && System.nanoTime() - begin < MOST_NANOS) {
            conflicted(tx, conflicts);
            Object result = attempt(tx, body);
            if (result != CONFLICT) {
                return result;
            }
            conflicts++;
        }
        conflicted(tx, conflicts);
        return alone(tx, body, conflicts);
    }

    private Object alone(HeapTransaction tx, Function<HeapTransaction, ?> body, int conflicts) {
        AloneEvent event = new AloneEvent();
        event.begin();
        heap.counters.alone.increment();
        Object result;
        do {
            result = attemptAlone(tx, body);
        } while (result == CONFLICT);
        event.end();
        if (event.shouldCommit()) {
            event.pool = heap.memory.name();
            event.conflicts = conflicts;
            event.commit();
        }
        return result;
    }

    private Object attemptAlone(HeapTransaction tx, Function<HeapTransaction, ?> body) {
        door.begin(tx);
        boolean alone = false;
        try {
            tx.writer().lane(); // before all others wait with theirs in hand
            heap.latch.acquireExclusive();
            alone = true;
            tx.takeSnapshot();
        } finally {
            if (!alone) {
                tx.endTransaction(new TransactionConflictException());
            }
        }
        try {
            return runAndCommit(tx, body);
        } finally {
            heap.latch.releaseExclusive();
        }
    }

    private Object attempt(HeapTransaction tx, Function<HeapTransaction, ?> body) {
        door.begin(tx);
        return runAndCommit(tx, body);
    }

    /** Runs a body that has begun, and ends it: its result, or {@link #CONFLICT}. */
    private Object runAndCommit(HeapTransaction tx, Function<HeapTransaction, ?> body) {
        Throwable cause = null;
        boolean over = false;
        try {
            Object result = body.apply(tx);
            over = true;
            if (tx.commit()) {
                return result;
            }
            cause = new TransactionConflictException();
            return CONFLICT;
        } catch (Exception failure) { // checked ones, too: bodies of other signatures throw them
            cause = failure;
            // What the heap's bookkeeping says of objects is of now, not of the snapshot.
            if (!over && tx.isOvertaken()) {
                return CONFLICT;
            }
            throw failure;
        } catch (InternalError error) {
            cause = error;
            throw heap.memory.lost(error);
        } catch (Error error) {
            cause = error;
            if (!over && tx.isOvertaken()) { // an assertion on what only a conflict explains
                return CONFLICT;
            }
            throw error;
        } finally {
            tx.endTransaction(cause);
        }
    }

    /** Counts a conflict and waits until whoever won has finished, for a moment at most. */
    private void conflicted(HeapTransaction tx, int attempt) {
        heap.counters.conflicts.increment();
        int stripe = tx.writer().conflictStripe();
        ConflictEvent event = new ConflictEvent();
        event.begin();
        for (int round = 0; round < LONGEST_WAIT && !isSettled(stripe); round++) {
            Pause.next(round);
        }
        event.end();
        if (event.shouldCommit()) {
            event.pool = heap.memory.name();
            event.attempt = attempt;
            event.object = tx.writer().conflictObject();
            event.typeNumber = typeNumber(event.object);
            event.commit();
        }
    }

    private boolean isSettled(int stripe) {
        return Stripes.isReadable(heap.stripes.word(stripe), heap.clock.watermark());
    }

    /** Of an object in conflict, if it is one: a line of a shared object is not. */
    private long typeNumber(long object) {
        if (Stripes.isLine(object)) {
            return 0;
        }
        try {
            return heap.engine.heap().typeNumber(object);
        } catch (FarheapException freed) {
            return 0; // by whoever won
        }
    }
}
