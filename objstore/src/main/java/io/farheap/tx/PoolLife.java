package io.farheap.tx;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
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
    private volatile FarheapException broken;

    PoolLife(PoolMemory memory) {
        this.memory = memory;
    }

    boolean is(State which) {
        return state == which;
    }

    /** Only for who holds the lock of {@link LaneClaims}. */
    void become(State next) {
        state = next;
    }

    /** Refuses everything after close, and after a failure that only recovery can mend. */
    void ensureUsable() {
        if (state == State.CLOSED) {
            throw closed();
        }
        FarheapException reason = broken;
        if (reason != null) {
            throw new FarheapException(reason.category(), reason.getMessage(), reason);
        }
    }

    RuntimeException closed() {
        return memory.closed();
    }

    /** From now on only recovery can tell what is in the pool. Returns what to throw. */
    FarheapException broken(Throwable failure) {
        FarheapException reason =
                new FarheapException(
                        Category.ENVIRONMENT,
                        "The pool failed in the middle of a commit or roll-back ("
                                + failure.getMessage()
                                + "); whether that transaction happened is decided when the pool is"
                                + " opened again.",
                        failure);
        if (broken == null) {
            broken = reason;
        }
        return reason;
    }

    boolean isBroken() {
        return broken != null;
    }
}
