package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.heap.Heap;
import io.farheap.memory.PoolMemory;

/** Whether an open pool may be used, and if not, why. Thread-safe. */
final class PoolLife {
    enum State {
        OPEN,
        /** Open, and nothing new may begin until somebody has looked at it. */
        HELD,
        CLOSING,
        CLOSED
    }

    private final PoolMemory memory;
    private volatile State state = State.OPEN;

    /** What left the pool to recovery; null while nothing did. */
    private volatile Throwable broken;

    /** Which of the files was cut off; null: none was. */
    private volatile FarheapException lost;

    /** What ended a change half done of what only this run knows of the pool; null: nothing. */
    private volatile Throwable cut;

    private volatile Heap heap;

    /** Whether none of the above forbids anything: one look where there is no time for all. */
    private volatile boolean sound = true;

    PoolLife(PoolMemory memory) {
        this.memory = memory;
    }

    /** A file was cut off: nothing may be read or written any more. */
    void lost(FarheapException loss) {
        if (lost == null) {
            lost = loss;
        }
        breakBy(loss);
    }

    boolean is(State which) {
        return state == which;
    }

    /** Only for who holds the lock of {@link LaneAssignment}. */
    void become(State next) {
        state = next;
        if (next == State.CLOSED) {
            sound = false;
        }
    }

    /** Whether {@link #ensureUsable} has nothing to refuse, but for an error in the heap. */
    boolean isSound() {
        return sound;
    }

    /** Refuses everything after close, and after a failure that only recovery can mend. */
    void ensureUsable() {
        if (state == State.CLOSED) {
            throw closed();
        }
        Throwable failure = broken;
        if (failure != null) {
            FarheapException loss = lost;
            throw loss == null
                    ? brokenBy(failure)
                    : new FarheapException(loss.category(), loss.getMessage(), loss);
        }
        Throwable error = cut();
        if (error != null) {
            throw FarheapException.environment(
                    error,
                    "The pool is out of order until it is closed and opened again, because"
                            + " an error ended one of its operations half done (%s); nothing that"
                            + " was committed is lost.",
                    error);
        }
    }

    private Throwable cut() {
        Throwable error = cut;
        return error != null || heap == null ? error : heap.torn();
    }

    /** Names the heap, which is out of order when an error cut a change of it short. */
    void watch(Heap newHeap) {
        heap = newHeap;
    }

    /** From now on nothing is begun: what the pool is made of in memory may be half changed. */
    void cutShort(Throwable error) {
        cut = error;
        sound = false;
    }

    RuntimeException closed() {
        return memory.closed();
    }

    /** From now on only recovery can tell what is in the pool. Allocates nothing. */
    void breakBy(Throwable failure) {
        if (broken == null) {
            broken = failure;
        }
        sound = false;
    }

    /** What is thrown where only recovery can tell what is in the pool. */
    static FarheapException brokenBy(Throwable failure) {
        return FarheapException.environment(
                failure,
                "The pool failed in the middle of a commit or roll-back (%s); whether"
                        + " that transaction happened is decided when the pool is opened again.",
                failure.getMessage() == null ? failure : failure.getMessage());
    }

    boolean isBroken() {
        return broken != null || cut() != null;
    }
}
