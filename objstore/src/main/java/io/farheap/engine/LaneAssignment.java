package io.farheap.engine;

import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Which thread works on which lanes of an open pool. Who wants the pool for itself, to look at it
 * or to close it, waits here until nobody does. Thread-safe.
 */
final class LaneAssignment {
    private static final int PINNED_ANYWAY = -1;
    private static final int NONE = -1;

    /** A thread's place in this pool: the lanes it had last, what it is in the middle of. */
    static final class ThreadLanes {
        LaneTransaction current;
        private int lane;

        /** Of operations in the middle of transactions and of other operations. */
        private int innerLane;

        private int operations;

        boolean isBusy() {
            return current != null || operations > 0;
        }
    }

    private final LanePool lanePool;
    private final IntFunction<LaneTransaction> transactionOn;
    private final TxSettings settings;
    private final PoolLife life;

    /** Made on first use of a lane; handed from thread to thread by the lane pool. */
    private final LaneTransaction[] transactions;

    /**
     * What threads keep of this pool: arrays, whose one element is a {@link ThreadLanes} until the
     * pool is closed. A thread that lives on must not keep the class of its lanes, nor its loader.
     */
    private final ThreadLocal<Object[]> holders = ThreadLocal.withInitial(this::newHolder);

    private final Set<Object[]> held = Collections.newSetFromMap(new WeakHashMap<>());
    private final ReentrantLock closeLock = new ReentrantLock();

    /**
     * @param lanes that the pool has
     * @param transactionOn makes what works on a lane, by its index
     */
    LaneAssignment(
            int lanes,
            IntFunction<LaneTransaction> transactionOn,
            TxSettings settings,
            PoolLife life) {
        this.lanePool = new LanePool(Math.min(settings.lanes(), lanes), lanes);
        this.transactionOn = transactionOn;
        this.settings = settings;
        this.life = life;
        this.transactions = new LaneTransaction[lanes];
    }

    private Object[] newHolder() {
        Object[] holder = {newThreadLanes()};
        synchronized (held) {
            held.add(holder);
        }
        return holder;
    }

    private ThreadLanes mine() {
        ThreadLanes mine = (ThreadLanes) holders.get()[0];
        return mine != null ? mine : newThreadLanes();
    }

    /** Once nothing runs any more. */
    private void forgetThreads() {
        synchronized (held) {
            held.forEach(holder -> holder[0] = null);
        }
    }

    private ThreadLanes newThreadLanes() {
        ThreadLanes mine = new ThreadLanes();
        int spread = Math.min(lanePool.size(), 4 * Runtime.getRuntime().availableProcessors());
        mine.lane = (int) (Thread.currentThread().threadId() % spread);
        mine.innerLane = (mine.lane + spread / 2) % lanePool.size();
        return mine;
    }

    /** The transaction that the calling thread has under way; null for none. */
    LaneTransaction current() {
        return mine().current;
    }

    /** The calling thread's transaction, on a lane claimed for it if there is none yet. */
    LaneTransaction join() {
        ThreadLanes mine = mine();
        LaneTransaction tx = mine.current;
        if (tx == null) {
            tx = claim(mine);
            tx.threadLanes = mine;
            mine.current = tx;
        }
        return tx;
    }

    /** A lane beside the transaction that the calling thread has, until {@link #ended}. */
    LaneTransaction claimAnother() {
        ThreadLanes mine = mine();
        LaneTransaction tx = claim(mine);
        tx.threadLanes = mine;
        mine.operations++;
        return tx;
    }

    /**
     * What {@link #join} or {@link #claimAnother} gave the calling thread is done. After an error
     * the same call goes on with what is left.
     */
    void ended(LaneTransaction tx) {
        ThreadLanes mine = tx.threadLanes;
        if (mine != null) {
            if (mine.current == tx) {
                mine.current = null;
            } else {
                mine.operations--;
            }
            tx.threadLanes = null;
        }
        release(tx);
    }

    /** A lane until {@link #release}, in which the thread begins nothing else. */
    LaneTransaction claimBriefly() {
        return claim(mine());
    }

    void release(LaneTransaction tx) {
        lanePool.release(tx.laneIndex);
    }

    /** See {@link PoolEngine#pin}. */
    int pin() {
        ThreadLanes mine = mine();
        if (mine.isBusy()) {
            life.ensureUsable();
            return PINNED_ANYWAY;
        }
        int lane = claim(mine).laneIndex;
        mine.operations++;
        return lane;
    }

    void unpin(int pinned) {
        if (pinned != PINNED_ANYWAY) {
            ThreadLanes mine = (ThreadLanes) holders.get()[0];
            lanePool.release(pinned);
            if (mine != null) {
                mine.operations--;
            }
        }
    }

    private int claimLane(ThreadLanes mine, boolean inner) {
        long timeout = settings.lockTimeout().toNanos();
        return inner
                ? lanePool.claimAnother(mine.innerLane, timeout)
                : lanePool.claim(mine.lane, timeout);
    }

    /** A thread in the middle of something goes on: who checks or closes waits for it. */
    private LaneTransaction claim(ThreadLanes mine) {
        life.ensureUsable();
        boolean inner = mine.isBusy();
        int lane = claimLane(mine, inner);
        try {
            while (!life.is(PoolLife.State.OPEN) && !inner) {
                int held = lane;
                lane = NONE;
                lanePool.release(held);
                awaitRelease();
                lane = claimLane(mine, inner);
            }
            LaneTransaction tx = transactions[lane];
            if (tx == null) {
                tx = transactionOn.apply(lane);
                transactions[lane] = tx;
            }
            if (inner) {
                mine.innerLane = lane;
            } else {
                mine.lane = lane;
            }
            return tx;
        } catch (Throwable failure) {
            if (lane != NONE) {
                lanePool.release(lane);
            }
            throw failure;
        }
    }

    /** How many lanes are in use by somebody who will end that. */
    private int inUse() {
        int count = lanePool.inUse();
        for (LaneTransaction tx : transactions) {
            if (tx != null && tx.isAbandoned()) {
                count--;
            }
        }
        return count;
    }

    private boolean awaitIdle(Duration bound) {
        return lanePool.await(() -> inUse() == 0, bound.toNanos());
    }

    /** Waits while {@link #whileQuiet} holds everything back. */
    private void awaitRelease() {
        long bound = settings.lockTimeout().toNanos();
        if (!lanePool.await(() -> !life.is(PoolLife.State.HELD), bound)) {
            throw FarheapException.environment(
                    "The pool is being checked for longer than %s ms, and nothing may"
                            + " change meanwhile; try again.",
                    TimeUnit.NANOSECONDS.toMillis(bound));
        }
        if (life.is(PoolLife.State.CLOSING) || life.is(PoolLife.State.CLOSED)) {
            throw life.closed();
        }
    }

    /** See {@link PoolEngine#whileQuiet}. */
    <T> T whileQuiet(Supplier<T> action) {
        if (mine().isBusy()) {
            throw FarheapException.wrongUse(
                    "The pool was to be looked at inside a transaction or operation; leave"
                            + " it first.");
        }
        closeLock.lock();
        try {
            life.ensureUsable();
            life.become(PoolLife.State.HELD);
            if (!awaitIdle(settings.lockTimeout())) {
                throw FarheapException.environment(
                        "%s transactions still run after %s ms, and nothing may change"
                                + " meanwhile; try again.",
                        inUse(), settings.lockTimeout().toMillis());
            }
            life.ensureUsable();
            return action.get();
        } finally {
            if (life.is(PoolLife.State.HELD)) {
                life.become(PoolLife.State.OPEN);
            }
            closeLock.unlock();
        }
    }

    /** See {@link PoolEngine#whileBrieflyQuiet}. */
    boolean whileBrieflyQuiet(Duration bound, Runnable action) {
        if (!closeLock.tryLock()) {
            return false;
        }
        try {
            if (!life.is(PoolLife.State.OPEN)) {
                return false;
            }
            life.become(PoolLife.State.HELD);
            boolean idle = awaitIdle(bound);
            if (idle) {
                action.run();
            }
            return idle;
        } finally {
            if (life.is(PoolLife.State.HELD)) {
                life.become(PoolLife.State.OPEN);
            }
            closeLock.unlock();
        }
    }

    /**
     * Waits, bounded, for what is under way, and lets nobody in any more. Again: nothing.
     *
     * @param last done while the pool can still be used
     * @param after done when it can't
     * @throws FarheapException WRONG_USE as {@link PoolEngine#close} says
     */
    void close(Runnable last, Runnable after) {
        if (!life.is(PoolLife.State.CLOSED) && mine().isBusy()) {
            throw FarheapException.wrongUse(
                    "close() was called inside a transaction or operation; leave it first.");
        }
        closeLock.lock();
        try {
            if (life.is(PoolLife.State.CLOSED)) {
                return;
            }
            life.become(PoolLife.State.CLOSING);
            if (!awaitIdle(settings.closeTimeout())) {
                life.become(PoolLife.State.OPEN);
                throw FarheapException.wrongUse(
                        "%s transactions still run after %s ms; end them and close again.",
                        inUse(), settings.closeTimeout().toMillis());
            }
            last.run();
            life.become(PoolLife.State.CLOSED);
            forgetThreads();
            after.run();
        } finally {
            closeLock.unlock();
        }
    }
}
