package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.TransactionBody;
import io.farheap.base.AllocationOptions;
import io.farheap.base.Ref;
import io.farheap.pmemobj.AtomicObjects;
import io.farheap.pmemobj.MemoryOperations;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The operations that are measured, for one thread. Garbage-free where the API is. */
final class OperationBodies {
    private static final int OBJECT_BYTES = 8192;
    private static final int TYPE = 1;
    private static final int ALLOCATED_BYTES = 128;

    private final ObjectPool pool;
    private final long object;
    private final Ref ref;
    private final MemorySegment value = Arena.ofAuto().allocate(OBJECT_BYTES, Long.BYTES);
    private final AtomicObjects atomic;
    private final MemoryOperations memory;
    private final TransactionBody<RuntimeException> write = this::write;
    private final TransactionBody<RuntimeException> storeInPlace = this::storeInPlace;
    private final TransactionBody<RuntimeException> exchange = this::exchange;
    private long count;
    private long length;
    private long last;

    OperationBodies(ObjectPool pool) {
        this.pool = pool;
        this.atomic = pool.atomic();
        this.memory = pool.memory();
        this.ref = pool.compute(tx -> tx.allocateZeroed(OBJECT_BYTES, TYPE));
        this.object = ref.offset();
        this.last = pool.compute(tx -> tx.raw().allocate(ALLOCATED_BYTES, TYPE, false));
    }

    /** A transaction that writes bytes of an object at the object level. */
    void write(long bytes) {
        length = bytes;
        value.set(ValueLayout.JAVA_LONG, 0, ++count);
        pool.transaction(write);
    }

    private void write(Transaction tx) {
        tx.raw().writeBytes(object, 0, value, 0, length);
    }

    /** A transaction that snapshots bytes of an object and stores there, as in C. */
    void storeInPlace(long bytes) {
        length = bytes;
        value.set(ValueLayout.JAVA_LONG, 0, ++count);
        pool.transaction(storeInPlace);
    }

    private void storeInPlace(Transaction tx) {
        MemorySegment.copy(value, 0, tx.snapshot(ref, 0, length), 0, length);
    }

    /** A transaction that allocates an object and frees the one that the last one allocated. */
    void exchange() {
        pool.transaction(exchange);
    }

    private void exchange(Transaction tx) {
        long next = tx.raw().allocate(ALLOCATED_BYTES, TYPE, false);
        tx.raw().free(last);
        last = next;
    }

    /** An object allocated, then freed, without a transaction. */
    void allocateAndFree() {
        atomic.free(atomic.allocateOffset(0, 0, ALLOCATED_BYTES, TYPE, AllocationOptions.DEFAULT));
    }

    /** A store and its persist: after a crash in between any part of it is there. */
    void persist(long bytes) {
        value.set(ValueLayout.JAVA_LONG, 0, ++count);
        memory.raw().persistBytes(object, 0, value, 0, bytes);
    }

    /** A write that a crash leaves whole or not at all. */
    void writeAtomically(long bytes) {
        value.set(ValueLayout.JAVA_LONG, 0, ++count);
        memory.raw().writeBytes(object, 0, value, 0, bytes);
    }
}
