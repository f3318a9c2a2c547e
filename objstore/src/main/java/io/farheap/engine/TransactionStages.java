package io.farheap.engine;

import io.farheap.base.Errno;
import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.StageCallback;
import io.farheap.base.TransactionAbortedException;
import io.farheap.base.TransactionStage;
import java.util.Arrays;

/**
 * The stages of one lane's transaction and its nesting levels (docs/libpmemobj.md#functions).
 * Nested transactions are flat: only the outermost commits, an abort in any aborts all. An inner
 * level that ends with an error aborts the one around it at once; the outermost rolls back when it
 * aborts, and keeps its locks until it ends.
 */
public final class TransactionStages {
    private final LaneTransaction tx;
    private final CommitPipeline pipeline;

    /** The thread that may use it: none but in stage WORK. */
    private Thread user;

    private Thread owner;

    /** Counts the outermost levels of this lane. */
    private long number;

    private int depth;
    private TransactionStage stage = TransactionStage.NONE;

    /** Whether a call is changing what this transaction is made of, or was cut short there. */
    private boolean changing;

    /** Whether nothing is left in memory of what the outermost level changed. */
    private boolean settled = true;

    /** One for each level. */
    private FailureBehavior[] behaviors = new FailureBehavior[4];

    private int errorCode;
    private Throwable cause;
    private StageCallback callback;
    private Object userData;

    TransactionStages(LaneTransaction tx, CommitPipeline pipeline) {
        this.tx = tx;
        this.pipeline = pipeline;
    }

    // ---- levels and stages ----

    /** Begins, or joins the transaction that the calling thread has under way. */
    void begin() {
        FailureBehavior behavior = FailureBehavior.ABORT;
        if (depth == 0) {
            owner = Thread.currentThread();
            number++;
            errorCode = Errno.NONE;
            changing = false;
            settled = false;
            pipeline.begin();
        } else {
            checkUsable();
            behavior = failureBehavior();
            if (depth == behaviors.length) {
                behaviors = Arrays.copyOf(behaviors, 2 * depth);
            }
        }
        behaviors[depth] = behavior;
        // No call from here on: it has begun, or nothing has.
        stage = TransactionStage.WORK;
        user = owner;
        depth++;
    }

    private void enterWork() {
        stage = TransactionStage.WORK;
        user = owner;
    }

    private void enter(TransactionStage next) {
        stage = next;
        user = null;
    }

    /** The stage of the innermost level. */
    public TransactionStage stage() {
        return stage;
    }

    /** Tells the transactions of this lane apart. */
    public long number() {
        return number;
    }

    /** How many levels were begun and not ended; the outermost is 1. */
    public int level() {
        return depth;
    }

    /** What it ended with; {@link Errno#NONE} while it works or when it committed. */
    public int errorCode() {
        return errorCode;
    }

    /**
     * From WORK to ONCOMMIT; the outermost level becomes durable.
     *
     * @throws RuntimeException what cut the commit short: in stage ONABORT then, rolled back; or
     *     what the callback threw at ONCOMMIT
     */
    public void commit() {
        checkUsable();
        if (depth == 1) {
            notifyBeforeCommit();
            try {
                pipeline.commit();
            } catch (Throwable failure) {
                rollBack(failure);
                aborted(failure);
                throw failure;
            }
            settle();
        }
        enter(TransactionStage.ONCOMMIT);
        notifyOf(TransactionStage.ONCOMMIT);
    }

    private void notifyBeforeCommit() {
        try {
            notifyOf(TransactionStage.WORK);
            checkUsable();
            if (depth > 1) {
                throw notEnded();
            }
        } catch (Throwable failure) {
            endLevel(2, failure);
            if (stage == TransactionStage.WORK) {
                abort(failure);
            }
            throw failure;
        }
    }

    /** From WORK to ONABORT; the outermost level is rolled back. */
    public void abort(Throwable why) {
        checkOwner();
        if (stage != TransactionStage.WORK) {
            throw unusable();
        }
        if (depth == 1) {
            rollBack(why);
        }
        aborted(why);
    }

    /** Unless that was done, or everything is durable. */
    private void rollBack(Throwable why) {
        if (!pipeline.isDecided()) {
            pipeline.abort(why);
        }
    }

    private void settle() {
        if (!settled) {
            tx.settled();
            settled = true;
        }
    }

    /** The pipeline has rolled back what there was, or has said that the pool is broken. */
    private void aborted(Throwable why) {
        errorCode = Errno.of(why);
        cause = why;
        enter(TransactionStage.ONABORT);
        if (depth == 1) {
            settle();
        }
        try {
            notifyOf(TransactionStage.ONABORT);
        } catch (Throwable second) {
            addTo(why, second);
        }
    }

    /** To the next stage, as {@code pmemobj_tx_process} does; WORK commits. */
    public void process() {
        switch (stage) {
            case WORK -> commit();
            case ONCOMMIT, ONABORT -> {
                enter(TransactionStage.FINALLY);
                notifyOf(TransactionStage.FINALLY);
            }
            case FINALLY -> enter(TransactionStage.NONE);
            case NONE -> {}
        }
    }

    /**
     * Ends the innermost level, in any stage but WORK; the outermost gives up locks and lane. With
     * an error the level around it is aborted.
     *
     * @return the error it ended with, {@link Errno#NONE} when it committed
     */
    public int end() {
        if (depth == 0) {
            throw unusable();
        }
        if (stage == TransactionStage.WORK) {
            throw FarheapException.wrongUse(
                    "The transaction still works; commit or abort it first.");
        }
        int code = errorCode;
        try {
            if (stage == TransactionStage.ONCOMMIT || stage == TransactionStage.ONABORT) {
                process();
            }
        } finally {
            if (depth == 1) {
                endOutermost();
            } else {
                depth--;
                enterWork();
                if (code != Errno.NONE) {
                    abort(cause);
                }
            }
        }
        return code;
    }

    /** Whatever an error cut short before is done here, or again by the next try. */
    private void endOutermost() {
        rollBack(cause);
        settle();
        StageCallback notified = callback;
        enter(TransactionStage.NONE);
        RuntimeException unlocked = null;
        try {
            tx.releaseLocks();
        } catch (RuntimeException failure) {
            unlocked = failure;
        }
        depth = 0;
        owner = null;
        cause = null;
        callback = null;
        userData = null;
        try {
            tx.ended();
        } catch (Error cut) {
            tx.ended();
            throw cut;
        }
        if (notified != null) {
            notified.entered(TransactionStage.NONE);
        }
        if (unlocked != null) {
            throw unlocked;
        }
    }

    // ---- levels as blocks of code ----

    /**
     * Commits and ends level {@code level}, as a block of code is left; those begun inside and not
     * ended are an error. When it throws, {@link #endLevel(int, Throwable)} must follow.
     *
     * @throws TransactionAbortedException when it, or one inside, was aborted
     */
    void endLevel(int level) {
        checkOwner();
        if (stage != TransactionStage.WORK || depth != level) {
            throw errorCode == Errno.NONE ? notEnded() : abortedBy();
        }
        commit();
        int unused = end();
    }

    /**
     * Aborts and ends level {@code level}, and those inside it, because {@code why} left it; what
     * of it has ended already is left alone. When an error cuts this short, the same call goes on
     * where it was.
     *
     * @param level 0: the innermost
     */
    void endLevel(int level, Throwable why) {
        int last = level == 0 ? depth : level;
        while (depth >= last && owner == Thread.currentThread()) {
            int ending = depth;
            if (stage == TransactionStage.WORK) {
                abort(why);
            }
            endQuietly(why);
            if (depth == ending && owner != null) {
                int unused = end();
            }
        }
    }

    private void endQuietly(Throwable failure) {
        try {
            int unused = end();
        } catch (Throwable second) {
            addTo(failure, second);
        }
    }

    private static void addTo(Throwable failure, Throwable later) {
        if (later != failure) {
            failure.addSuppressed(later);
        }
    }

    private static FarheapException notEnded() {
        return FarheapException.wrongUse(
                "A transaction that was begun inside this one was never ended:"
                        + " everything is rolled back; end each in the block that began it.");
    }

    // ---- who may use it ----

    /** Refuses any thread but the one that began it, and any stage but WORK. */
    void checkUsable() {
        if (Thread.currentThread() != user || changing) {
            throw unusable();
        }
    }

    /**
     * A call begins to change what this transaction is made of. When an error ends it before {@link
     * #changed}, nobody knows how much of it was done: the transaction can only be rolled back.
     */
    void changing() {
        changing = true;
    }

    void changed() {
        changing = false;
    }

    /** Refuses any thread but the one that began it. */
    public void checkOwner() {
        if (Thread.currentThread() != owner) {
            throw unusable();
        }
    }

    private RuntimeException unusable() {
        if (owner == null) {
            return FarheapException.wrongUse(
                    "The transaction has ended; its object is valid inside the lambda, or"
                            + " until end(), only.");
        }
        if (owner != Thread.currentThread()) {
            return FarheapException.wrongUse(
                    "The transaction belongs to thread %s; begin one in thread %s.",
                    owner.getName(), Thread.currentThread().getName());
        }
        if (errorCode != Errno.NONE) {
            return abortedBy();
        }
        if (stage == TransactionStage.WORK) {
            return FarheapException.wrongUse(
                    "An error ended a call of this transaction half done, and everything"
                            + " is rolled back; let the error leave the transaction.");
        }
        return FarheapException.wrongUse(
                "The transaction is in stage %s and can only be ended; end it first.", stage);
    }

    private TransactionAbortedException abortedBy() {
        return new TransactionAbortedException(
                "The transaction was aborted, in a nested one or by a call that failed, and can't"
                        + " go on; let the exception leave the outermost call.",
                cause);
    }

    // ---- failures, callback, user data ----

    /**
     * A call of the transaction failed: aborts it unless it is to go on.
     *
     * @return {@code failure}, to be thrown
     */
    public RuntimeException failed(RuntimeException failure) {
        if (user == Thread.currentThread() && failureBehavior() == FailureBehavior.ABORT) {
            abort(failure);
        }
        return failure;
    }

    /** What a failing call does to the innermost level. */
    public FailureBehavior failureBehavior() {
        return behaviors[depth - 1];
    }

    /**
     * For one call: what its failure does, whatever is set for the level.
     *
     * @return what was set, for {@link #restore}
     */
    public FailureBehavior override(FailureBehavior behavior) {
        checkUsable();
        FailureBehavior before = failureBehavior();
        behaviors[depth - 1] = behavior;
        return before;
    }

    /** Ends {@link #override}, whether the call failed or not. */
    public void restore(FailureBehavior before) {
        behaviors[depth - 1] = before;
    }

    /** For the innermost level and those begun inside it later. */
    public void setFailureBehavior(FailureBehavior behavior) {
        checkUsable();
        behaviors[depth - 1] = behavior;
    }

    /**
     * Who is notified of the stages of the outermost level.
     *
     * @throws FarheapException WRONG_USE when it has another callback already
     */
    public void setCallback(StageCallback notified) {
        checkUsable();
        if (callback != null && !callback.equals(notified)) {
            throw FarheapException.wrongUse(
                    "The transaction has a callback already; a nested one must give the"
                            + " same or none.");
        }
        callback = notified;
    }

    public Object userData() {
        checkUsable();
        return userData;
    }

    public void setUserData(Object data) {
        checkUsable();
        userData = data;
    }

    private void notifyOf(TransactionStage entered) {
        if (callback != null && depth == 1) {
            callback.entered(entered);
        }
    }
}
