package io.farheap.engine;

import io.farheap.base.AllocationOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.TransactionStage;
import io.farheap.heap.Heap;
import io.farheap.heap.HeapGrowth;
import io.farheap.heap.HeapSettings;
import io.farheap.heap.Reservation;
import io.farheap.layout.Descriptor;
import io.farheap.lock.RunState;
import io.farheap.memory.PoolMemory;
import io.farheap.spi.ReplicaSink;
import io.farheap.ulog.CommittedView;
import io.farheap.ulog.LaneArea;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * One open pool over an image that somebody else mapped: heap, lanes, transactions and the stream
 * of commits to the replicas. The public API is a face over this; tests put it over any {@link
 * PoolMemory}.
 *
 * <p>Thread-safe. After a failure that leaves the outcome of a commit to recovery, everything is
 * refused until the pool is reopened.
 */
public final class PoolEngine implements AutoCloseable {
    private static final Duration MOMENT = Duration.ofMillis(20);

    /** Brings the replicas to the recovered local pool, and the pool to a new run id. */
    @FunctionalInterface
    public interface Attachment {
        /**
         * @param committed the pool as it is committed, from now until it is closed
         * @return null: nobody attaches, the pool is only looked at
         */
        ReplicaSink attach(Descriptor descriptor, CommittedView committed);
    }

    /** Type numbers from this on are those of typed objects. */
    public static final long FIRST_TYPED = 1L << 32;

    private final PoolMemory memory;
    private final TxSettings settings;
    private final LaneArea lanes;
    private final Heap heap;
    private final RunState runState;
    private final RootObject root;
    private final AttachedReplicas attached;
    private final EngineCounters counters;
    private final ReplicatedHeapStores heapStores;
    private final PoolLife life;
    private final LaneAssignment assignment;
    private final SentRecord.Unended unended;
    private final ScratchPool scratches = new ScratchPool();

    /** What the transactions of typed objects share, once there are any. */
    private volatile Object typedHeap;

    /** Over what {@link PoolBoot} has made, and nothing is done yet that others could see. */
    PoolEngine(EngineParts parts) {
        this.memory = parts.memory();
        this.settings = parts.settings();
        this.lanes = parts.lanes();
        this.heap = parts.heap();
        this.counters = parts.counters();
        this.life = parts.life();
        this.unended = parts.unended();
        this.heapStores = parts.heapStores();
        this.root = new RootObject(this, parts.descriptor());
        this.attached = new AttachedReplicas(memory, parts.descriptor(), heapStores);
        this.runState = new RunState(this::requireAlive, settings.lockTimeout().toNanos());
        this.assignment =
                new LaneAssignment(
                        lanes.count(),
                        lane -> new LaneTransaction(this, lanes.lane(lane, parts.logSpace()), lane),
                        settings,
                        life);
    }

    /**
     * Recovers the pool in {@code memory} to a transaction boundary and opens it.
     *
     * @param memory a validated image: headers and descriptor are in order
     * @param attachment null when the pool has no remote replicas
     */
    public static PoolEngine open(PoolMemory memory, TxSettings settings, Attachment attachment) {
        return open(memory, settings, attachment, HeapGrowth.NONE, HeapSettings.defaults());
    }

    /** As above, of a pool that grows when its heap is full, if it can. */
    public static PoolEngine open(
            PoolMemory memory,
            TxSettings settings,
            Attachment attachment,
            HeapGrowth growth,
            HeapSettings heapSettings) {
        return PoolBoot.ofMemory(memory, settings, attachment, null, growth, heapSettings);
    }

    PoolMemory memory() {
        return memory;
    }

    public Heap heap() {
        return heap;
    }

    /** The bounds of waits. */
    public TxSettings settings() {
        return settings;
    }

    EngineCounters counters() {
        return counters;
    }

    ReplicaSink replicas() {
        return heapStores.sink();
    }

    SentRecord newSentRecord() {
        return new SentRecord(counters, life, unended);
    }

    /** Whether the pool has copies that must stay equal to it: local ones or on other machines. */
    boolean isReplicated() {
        return memory.isMirrored() || heapStores.sink() != null;
    }

    /** What an extension of an undo log takes, see {@code TransactionControl}. */
    public long undoExtensionBytes() {
        return lanes.undoExtensionBytes();
    }

    public void setUndoExtensionBytes(long bytes) {
        if (bytes < 0 || bytes > Heap.MAX_REQUEST) {
            throw FarheapException.wrongUse(
                    "An extension of the undo log can have 0 to %s bytes, not %s"
                            + " (tx.cache.size).",
                    Heap.MAX_REQUEST, bytes);
        }
        lanes.setUndoExtensionBytes(bytes);
    }

    /** Scratch memory for payload lambdas. */
    public ScratchPool scratches() {
        return scratches;
    }

    // ---- transactions ----

    /**
     * Begins a transaction of the calling thread, or joins the one it has under way; leave it by
     * {@link LaneTransaction#commit} or {@link LaneTransaction#abort}.
     */
    public LaneTransaction begin() {
        StackReserve.require();
        LaneTransaction tx = assignment.join();
        if (tx.isTyped()) {
            throw FarheapException.wrongUse(
                    "A transaction of typed objects is under way; end it before one of the pool"
                            + " itself begins.");
        }
        try {
            tx.stages().begin();
        } catch (Throwable failure) {
            giveUp(tx);
            throw failure;
        }
        return tx;
    }

    /**
     * Begins a transaction of typed objects, which joins nothing and is joined by nothing; else as
     * {@link #begin}.
     *
     * @throws FarheapException WRONG_USE inside a transaction of the pool itself
     */
    public LaneTransaction beginTyped() {
        if (assignment.current() != null) {
            throw FarheapException.wrongUse(
                    "A transaction of the pool itself is under way; end it before one of typed"
                            + " objects writes.");
        }
        LaneTransaction tx = begin();
        tx.setTyped();
        return tx;
    }

    // ---- typed objects ----

    /**
     * What the transactions of typed objects share, the same for all of this pool; made by the
     * first. From now on what isn't theirs may not change typed objects.
     */
    public synchronized Object typedHeap(Supplier<Object> made) {
        if (typedHeap == null) {
            typedHeap = made.get();
        }
        return typedHeap;
    }

    /**
     * Refuses a change that goes around the transactions of typed objects.
     *
     * @throws FarheapException WRONG_USE when the object is a typed one, and the heap of them open
     */
    public void refuseTyped(long object) {
        if (typedHeap != null) {
            refuseTypedNumber(heap.typeNumber(object));
        }
    }

    /** As {@link #refuseTyped}, of an object to be allocated. */
    void refuseTypedNumber(long typeNumber) {
        if (typedHeap != null && typeNumber >= FIRST_TYPED) {
            throw FarheapException.wrongUse(
                    "Objects of type %s are typed ones, and their heap is open: change them through"
                            + " it, not through the pool.",
                    typeNumber);
        }
    }

    /** Gives a lane back on which nothing could be begun. */
    private void giveUp(LaneTransaction tx) {
        if (tx.level() == 0) {
            assignment.ended(tx);
        }
    }

    /** Where the calling thread's transaction is. */
    public TransactionStage stage() {
        LaneTransaction tx = assignment.current();
        return tx == null ? TransactionStage.NONE : tx.stages().stage();
    }

    /**
     * Begins an operation: a small transaction on a lane of its own, that neither joins the one the
     * calling thread has under way nor is joined by later {@link #begin} calls. Durable when its
     * {@link LaneTransaction#commit} returns, whatever becomes of a transaction around it; else
     * {@link LaneTransaction#abort} must be called.
     */
    public LaneTransaction operation() {
        StackReserve.require();
        LaneTransaction around = assignment.current();
        LaneTransaction tx = assignment.claimAnother();
        try {
            tx.beginDetached(around);
        } catch (Throwable failure) {
            giveUp(tx);
            throw failure;
        }
        return tx;
    }

    /** Reserves an object for something that will happen later. */
    void reserve(long size, long typeNumber, AllocationOptions options, Reservation out) {
        StackReserve.require();
        refuseTypedNumber(typeNumber);
        int pinned = pin();
        boolean reserved = false;
        boolean done = false;
        try {
            Allocations.reserve(heap, size, typeNumber, 0, options, out);
            reserved = true;
            if (options.zeroed()) {
                memory.fill(out.userOffset(), out.usableSize(), (byte) 0);
            }
            done = true;
        } finally {
            if (reserved && !done) {
                heap.cancel(out);
            }
            unpin(pinned);
        }
    }

    /**
     * Stores bytes durably, here and on every replica, and not atomically ({@link NonAtomicStore}).
     * The caller checked the range.
     */
    public void storeNonAtomically(
            long offset, MemorySegment source, long sourceOffset, long length) {
        LaneTransaction lane = assignment.claimBriefly();
        try {
            lane.nonAtomicStore().store(offset, source, sourceOffset, length);
        } finally {
            assignment.release(lane);
        }
    }

    /** Whether {@link #storeAtomically} takes so many bytes. */
    public boolean storesAtomically(long length) {
        return length > 0 && length <= CommitPipeline.MOST_WRITTEN && replicas() == null;
    }

    /**
     * Stores bytes durably and atomically, as a transaction that does nothing else, in less time.
     * For a thread that is in none, and as many bytes as {@link #storesAtomically} says; {@link
     * #checkLoad} allowed the range, which is loaded before anything is changed.
     */
    public void storeAtomically(long offset, MemorySegment source, long sourceOffset, long length) {
        StackReserve.require();
        LaneTransaction lane = assignment.claimBriefly();
        try {
            lane.pipeline().commitWrite(offset, source, sourceOffset, length);
        } finally {
            assignment.release(lane);
        }
    }

    /** Makes the heap larger, see {@link Heap#extend}. */
    public void extendHeap(long bytes) {
        StackReserve.require();
        int pinned = pin();
        try {
            heap.extend(bytes);
        } finally {
            unpin(pinned);
        }
    }

    /** Starts to make a range durable that {@link #checkReadable} allowed. */
    public void flush(long offset, long length) {
        int pinned = pin();
        try {
            memory.flush(offset, length);
        } finally {
            unpin(pinned);
        }
    }

    /** Waits until everything that the calling thread flushed is durable. */
    public void fence() {
        int pinned = pin();
        try {
            memory.fence();
        } finally {
            unpin(pinned);
        }
    }

    /**
     * Keeps the pool open until {@link #unpin}, for what uses its memory without the JDK's checks:
     * by a lane, unless the thread has one anyway.
     */
    public int pin() {
        return assignment.pin();
    }

    /** Ends {@link #pin}, in the same thread. */
    public void unpin(int pinned) {
        assignment.unpin(pinned);
    }

    /** The transaction that the calling thread has under way; null for none. */
    public LaneTransaction current() {
        return assignment.current();
    }

    /**
     * Runs something while nothing is under way: waits, bounded, for the transactions and
     * operations that are, and new ones wait until it is done. It must not begin one itself.
     *
     * @throws FarheapException WRONG_USE inside a transaction or operation of this thread,
     *     ENVIRONMENT when some still run after the bound
     */
    public <T> T whileQuiet(Supplier<T> action) {
        return assignment.whileQuiet(action);
    }

    /**
     * As {@link #whileQuiet}, for who can do without it: waits for a moment only.
     *
     * @return false: something is under way for longer, or the pool is closed; nothing was run
     */
    public boolean whileBrieflyQuiet(Runnable action) {
        return assignment.whileBrieflyQuiet(MOMENT, action);
    }

    /** Whether {@link #whileQuiet} waits or works at the moment. */
    public boolean isHeld() {
        return life.is(PoolLife.State.HELD);
    }

    /** See {@link PoolLife#cutShort}. */
    void cutShort(Throwable error) {
        life.cutShort(error);
    }

    void ended(LaneTransaction tx) {
        assignment.ended(tx);
    }

    // ---- reading outside transactions ----

    /** Refuses a range that is not inside a live object. */
    public void checkReadable(long object, long offset, long length) {
        ensureUsable();
        ObjectAccess.checkRange(object, offset, length, usableSize(object));
    }

    /** As {@link #checkReadable}, of a range that is loaded next: without a look at the medium. */
    public void checkLoad(long object, long offset, long length) {
        if (!life.isSound() || !heap.isInFirstUnit(object, offset, length)) {
            checkReadable(object, offset, length);
        }
    }

    /** Usable bytes of a live object. */
    public long usableSize(long object) {
        return heap.usableSize(object);
    }

    /** The image for reads that {@link #checkReadable} allowed. */
    public PoolMemory image() {
        return memory;
    }

    // ---- what lives for one run ----

    /** Locks and volatile values of places in the pool. */
    public RunState runState() {
        return runState;
    }

    private void requireAlive(long object) {
        ensureUsable();
        long unused = heap.usableSize(object);
    }

    /** Makes a place a lock of no run, durably, and whatever lock was there before dead. */
    public void zeroLock(long object, long place) {
        requireAlive(object);
        LaneTransaction operation = operation();
        try {
            operation.setWord(place, 0);
            operation.commit();
        } catch (Throwable failure) {
            operation.abort(failure);
            throw failure;
        }
        runState.forget(place, place + Long.BYTES);
    }

    // ---- what has a class of its own ----

    /** The root object. */
    public RootObject root() {
        return root;
    }

    /** The remote replicas, beside commits. */
    public AttachedReplicas attached() {
        return attached;
    }

    // ---- end ----

    /** Refuses everything after close, and after a failure that only recovery can mend. */
    public void ensureUsable() {
        life.ensureUsable();
    }

    /** Whether close has come through: nobody uses the memory any more. */
    public boolean isClosed() {
        return life.is(PoolLife.State.CLOSED);
    }

    /** Whether recovery must run before the pool can be trusted. */
    boolean isBroken() {
        return life.isBroken();
    }

    /**
     * Waits, bounded, for transactions under way, then lets the replicas go. Again: nothing.
     *
     * @throws FarheapException WRONG_USE when transactions still run after the bound, or inside one
     *     or an operation of this thread; the pool stays open then
     */
    @Override
    public void close() {
        assignment.close(this::storeStatistics, this::letReplicasGo);
    }

    /** Ends what was sent and has not ended, and all that is attached. */
    void letReplicasGo() {
        unended.endAll();
        if (heapStores.sink() != null) {
            heapStores.sink().close();
        }
    }

    /** A number that may drift is no reason not to close: what replicas miss of it, they miss. */
    private void storeStatistics() {
        if (life.isBroken()) {
            return;
        }
        try {
            heap.storeAllocatedBytes();
        } catch (FarheapException replicaMissing) {
            memory.persist(Descriptor.CURR_ALLOCATED, Long.BYTES);
        }
    }

    // ---- counters ----

    /** How long commits take, for who watches them. */
    public CommitTimes times() {
        return counters.times;
    }

    public long commits() {
        return counters.commits.sum();
    }

    public long readOnlyTransactions() {
        return counters.readOnlyTransactions.sum();
    }

    public long aborts() {
        return counters.aborts.sum();
    }

    public long records() {
        return counters.records.sum();
    }

    public long durabilityWaits() {
        return counters.durabilityWaits.sum();
    }
}
