package io.farheap.pmemobj;

import io.farheap.base.Ref;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.PoolEngine;
import java.util.function.Function;

/**
 * The door by which an {@link io.farheap.ObjectPool} reaches this package: one pool's face for
 * porters, part by part. Programs get each part from the pool; this takes an engine, which they
 * have none of.
 */
@SuppressWarnings("exports") // on purpose: no program can name an engine
public final class PoolFaces {
    private final PoolEngine engine;
    private final long poolId;
    private final HeapControl heap;
    private final PoolControl control;
    private final AtomicObjects atomic;
    private final MemoryOperations memory;

    /**
     * @param constructed what constructors on a lane are given: those of each lane, so that nothing
     *     is garbage
     */
    public PoolFaces(
            PoolEngine engine, long poolId, Function<LaneTransaction, NewObjects> constructed) {
        this.engine = engine;
        this.poolId = poolId;
        this.heap = new HeapControl(engine, poolId);
        this.control = new PoolControl(engine);
        this.atomic = new AtomicObjects(engine, poolId, constructed);
        this.memory = new MemoryOperations(engine, poolId);
    }

    /** How memory is given out. */
    public HeapControl heap() {
        return heap;
    }

    /** Statistics. */
    public PoolControl control() {
        return control;
    }

    /** Allocation without transactions. */
    public AtomicObjects atomic() {
        return atomic;
    }

    /** Stores outside transactions. */
    public MemoryOperations memory() {
        return memory;
    }

    /** What concerns all transactions. */
    public TransactionControl transactions() {
        return new TransactionControl(engine);
    }

    /** An empty list of actions. */
    public Actions actions() {
        engine.ensureUsable();
        return new Actions(engine, poolId);
    }

    /** Locks that lie in objects. */
    public PoolLocks locks() {
        engine.ensureUsable();
        return new PoolLocks(engine, poolId);
    }

    /** A list whose head is in an object. */
    public ObjectList list(Ref head, long headOffset, long entryOffset) {
        engine.ensureUsable();
        return new ObjectList(this, engine, poolId, head, headOffset, entryOffset);
    }

    /**
     * What constructors are given.
     *
     * @param fresh whether none is used twice
     */
    public NewObjects newObjects(boolean fresh) {
        return new NewObjects(engine, poolId, fresh);
    }

    /** Has a constructor fill an object that is there, and nobody's yet. */
    public void construct(long object, ObjectConstructor constructor) {
        NewObject fresh = new NewObject(engine, poolId);
        try {
            constructor.construct(fresh.begin(object));
        } finally {
            fresh.end();
        }
    }

    /** Makes actions part of a transaction of a pool; when this throws, everything is as before. */
    public static void publish(Actions actions, LaneTransaction lane, long poolId) {
        actions.moveTo(lane, poolId);
    }
}
