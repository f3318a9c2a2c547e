package io.farheap;

import io.farheap.base.FailureBehavior;
import io.farheap.base.StageCallback;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.TransactionStages;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.Lock;

/**
 * What a transaction begins with (libpmemobj: TX_PARAM_MUTEX, TX_PARAM_RWLOCK, TX_PARAM_CB).
 * Immutable: each method returns another one; make it once and use it often.
 */
public final class TransactionOptions {
    /** No locks, no callback; failures abort, or do what they do in the transaction around it. */
    public static final TransactionOptions DEFAULT =
            new TransactionOptions(new Lock[0], null, null);

    private final Lock[] locks;
    private final StageCallback callback;

    /** Null: that of the level around it. */
    private final FailureBehavior behavior;

    private TransactionOptions(Lock[] locks, StageCallback callback, FailureBehavior behavior) {
        this.locks = locks;
        this.callback = callback;
        this.behavior = behavior;
    }

    /** Takes these, too, in this order, after those named before; held to the outermost end. */
    public TransactionOptions lock(TransactionLock... more) {
        Objects.requireNonNull(more, "more");
        Lock[] all = Arrays.copyOf(locks, locks.length + more.length);
        for (int i = 0; i < more.length; i++) {
            all[locks.length + i] = Objects.requireNonNull(more[i], "lock").lock;
        }
        return new TransactionOptions(all, callback, behavior);
    }

    /** As above, locks that lie in the pool: of a read-write lock the half that is wanted. */
    public TransactionOptions lock(Lock... more) {
        Objects.requireNonNull(more, "more");
        Lock[] all = Arrays.copyOf(locks, locks.length + more.length);
        for (int i = 0; i < more.length; i++) {
            all[locks.length + i] = Objects.requireNonNull(more[i], "lock");
        }
        return new TransactionOptions(all, callback, behavior);
    }

    /** Tells the stages; a nested transaction must name the same callback or none. */
    public TransactionOptions callback(StageCallback told) {
        Objects.requireNonNull(told, "told");
        return new TransactionOptions(locks, told, behavior);
    }

    /** What a failing call does to this level and those inside it. */
    public TransactionOptions onFailure(FailureBehavior wanted) {
        Objects.requireNonNull(wanted, "wanted");
        return new TransactionOptions(locks, callback, wanted);
    }

    /** Applies them to the level that has just begun. */
    void applyTo(LaneTransaction lane) {
        TransactionStages stages = lane.stages();
        if (callback != null) {
            stages.setCallback(callback);
        }
        if (behavior != null) {
            stages.setFailureBehavior(behavior);
        }
        // An array, no iterator: this is part of every transaction, and those make no garbage.
        for (Lock lock : locks) {
            lane.lock(lock);
        }
    }
}
