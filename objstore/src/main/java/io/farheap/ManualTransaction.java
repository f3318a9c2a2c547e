package io.farheap;

import io.farheap.base.Errno;
import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.TransactionAbortedException;
import io.farheap.base.TransactionStage;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.TransactionStages;

/**
 * One level of a transaction for code that can't be a lambda: begun by {@link ObjectPool#begin},
 * moved from stage to stage by hand, as libpmemobj's {@code pmemobj_tx_*} functions do.
 *
 * <pre>
 * try (ManualTransaction manual = pool.begin()) {
 *     manual.transaction().setLong(account, BALANCE, 100);
 *     manual.commit();
 * } // without commit(): rolled back
 * </pre>
 *
 * <p>Levels nest, with lambdas too, and are ended in the reverse order of their beginning. Only the
 * outermost commits and rolls back. An inner one that ends with an error aborts the one around it
 * at once, with the same error. A call of {@link #transaction()} that fails aborts its level,
 * unless {@link FailureBehavior#RETURN} is set; the call throws in either case. Locks stay held
 * until the outermost end.
 *
 * <p>Belongs to the thread that began it. Where the C library ends the process for a call in the
 * wrong stage, these throw {@link FarheapException} WRONG_USE and change nothing.
 */
public final class ManualTransaction implements AutoCloseable {
    private final LaneTransaction lane;
    private final TransactionStages stages;
    private final Transaction transaction;
    private final int level;

    /** Which of the lane's transactions it belongs to: the block around it may have ended that. */
    private final long number;

    private boolean ended;
    private int errorCode;

    ManualTransaction(LaneTransaction lane, Transaction transaction) {
        this.lane = lane;
        this.stages = lane.stages();
        this.transaction = transaction;
        this.level = stages.level();
        this.number = stages.number();
    }

    /** What reads and changes objects, in stage WORK. */
    public Transaction transaction() {
        return transaction;
    }

    /** The stage of this level; {@link TransactionStage#NONE} once it ended. */
    public TransactionStage stage() {
        if (isOver()) {
            return TransactionStage.NONE;
        }
        return stages.level() == level ? stages.stage() : TransactionStage.WORK;
    }

    /**
     * The error it was aborted with, see {@link Errno}; 0 while it works and when it committed
     * (libpmemobj: {@code pmemobj_tx_errno}).
     */
    public int errorCode() {
        if (isOver()) {
            return ended ? errorCode : Errno.ECANCELED;
        }
        return stages.errorCode();
    }

    /**
     * From WORK to ONCOMMIT. The outermost level is durable when it returns, here and on every
     * replica that must have it.
     *
     * @throws RuntimeException when it could not commit: all is rolled back, the stage is ONABORT
     */
    public void commit() {
        checkInnermost();
        try {
            stages.commit();
        } catch (InternalError error) {
            throw lane.lost(error);
        }
    }

    /**
     * From WORK to ONABORT; of the outermost level everything is rolled back when it returns. Does
     * not throw, other than {@link Transaction#abort()}.
     *
     * @param code what the transaction ends with; 0 becomes {@link Errno#ECANCELED}
     */
    public void abort(int code) {
        checkInnermost();
        stages.abort(new TransactionAbortedException("The transaction was aborted by hand.", code));
    }

    /**
     * To the next stage: WORK commits; ONCOMMIT and ONABORT go to FINALLY, FINALLY to NONE. In NONE
     * it does nothing.
     */
    public void process() {
        if (!isOver()) {
            checkInnermost();
            try {
                stages.process();
            } catch (InternalError error) {
                throw lane.lost(error);
            }
        }
    }

    /**
     * Ends this level, in any stage but WORK. Of the outermost, locks and lane are given back.
     *
     * @return 0 when it committed, else the error
     */
    public int end() {
        checkInnermost();
        if (stages.stage() == TransactionStage.WORK) {
            throw FarheapException.wrongUse(
                    "The transaction still works; commit or abort it first.");
        }
        errorCode = stages.errorCode();
        ended = true;
        return stages.end();
    }

    /**
     * Ends it if that was not done; in stage WORK it is aborted first. Again: nothing.
     *
     * @throws FarheapException BAD_DATA where it was left in stage WORK and a part file was cut
     *     off, which a call of {@link #transaction} tells as the JVM's {@link InternalError} only
     */
    @Override
    public void close() {
        boolean left;
        try {
            left = endIfNotOver();
        } catch (Error cut) {
            lane.abort(level, cut);
            throw cut;
        }
        if (left) {
            lane.requireWhole();
        }
    }

    /** Whether it was left in stage WORK. */
    private boolean endIfNotOver() {
        if (isOver()) {
            return false;
        }
        checkInnermost();
        boolean works = stages.stage() == TransactionStage.WORK;
        if (works) {
            abort(Errno.ECANCELED);
        }
        int unused = end();
        return works;
    }

    private boolean isOver() {
        return ended || stages.number() != number;
    }

    private void checkInnermost() {
        if (isOver()) {
            throw FarheapException.wrongUse("The transaction has ended; begin another one.");
        }
        stages.checkOwner();
        if (stages.level() != level) {
            throw FarheapException.wrongUse(
                    "A transaction that was begun inside this one is under way; end it"
                            + " first.");
        }
    }
}
