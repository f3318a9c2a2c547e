package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.TransactionBody;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The transaction that all figures are about: 64 bytes of one object are written at the object
 * level and committed. For one thread; each thread takes an object of its own.
 */
final class SmallCommit implements TransactionBody<RuntimeException> {
    static final int BYTES = 64;
    private static final int TYPE = 1;

    private final ObjectPool pool;
    private final long object;
    private final MemorySegment value = Arena.ofAuto().allocate(BYTES, Long.BYTES);
    private long count;

    SmallCommit(ObjectPool pool) {
        this(pool, BYTES);
    }

    /**
     * @param bytes of the object, of which the first 64 are written
     */
    SmallCommit(ObjectPool pool, int bytes) {
        this.pool = pool;
        this.object = pool.compute(tx -> tx.raw().allocate(bytes, TYPE, true));
    }

    void run() {
        value.set(ValueLayout.JAVA_LONG, 0, ++count);
        pool.transaction(this);
    }

    @Override
    public void run(Transaction tx) {
        tx.raw().writeBytes(object, 0, value, 0, BYTES);
    }
}
