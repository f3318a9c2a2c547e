package io.farheap.simulation;

import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.TransactionLock;
import io.farheap.base.Ref;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How the rows lie in the pool's root object, and the transactions that change them. They lie far
 * apart, so that what notes changes by regions has several to tell apart.
 */
final class Cells {
    static final int THREADS = 4;
    private static final long APART = 704 << 10;
    static final long ROOT_BYTES = 64 + (THREADS - 1) * APART + 64;
    static final long SHARED = 0;
    static final long COUNT = 0;
    static final long ATTEMPT = 8;
    static final long SHARES = 16;
    static final long OBJECT_OF = 24;
    static final long CHECK = 32;
    static final long OBJECT = 40;
    private static final int[] SIZES = {40, 700, 3000};
    private static final long TYPE = 7;

    private final ObjectPool pool;
    private final TransactionLock sharedLock = new TransactionLock();

    Cells(ObjectPool pool) {
        this.pool = pool;
    }

    static long row(int thread) {
        return 64 + thread * APART;
    }

    /** Bytes of the object that an attempt makes. */
    static int sizeOf(long attempt) {
        return SIZES[(int) ((attempt * 2654435761L >>> 7) % SIZES.length)];
    }

    /** What fills it. */
    static byte byteOf(int thread, long attempt, int at) {
        return (byte) (attempt * 31 + thread * 7 + at);
    }

    /** As the pool shows it, to a thread that nobody disturbs. */
    Row read(int thread) {
        Ref root = pool.root();
        long row = row(thread);
        return new Row(
                pool.getLong(root, row + COUNT),
                pool.getLong(root, row + ATTEMPT),
                pool.getLong(root, row + SHARES),
                pool.getLong(root, row + OBJECT_OF));
    }

    /** Commits the step from one row to the next. */
    void change(int thread, Row from, Row to) {
        boolean inPlace =
                to.attempt() % 3 == 0
                        && from.shared() == to.shared()
                        && from.objectOf() == to.objectOf();
        pool.transaction(
                tx -> {
                    if (inPlace) {
                        storeInPlace(tx, thread, to);
                    } else {
                        store(tx, thread, from, to);
                    }
                });
    }

    private void storeInPlace(Transaction tx, int thread, Row to) {
        MemorySegment row = tx.snapshot(tx.root(), row(thread), OBJECT);
        row.set(ValueLayout.JAVA_LONG_UNALIGNED, COUNT, to.count());
        row.set(ValueLayout.JAVA_LONG_UNALIGNED, ATTEMPT, to.attempt());
        row.set(ValueLayout.JAVA_LONG_UNALIGNED, CHECK, to.check());
    }

    private void store(Transaction tx, int thread, Row from, Row to) {
        Ref root = tx.root();
        long row = row(thread);
        if (from.shared() != to.shared()) {
            tx.lock(sharedLock);
            tx.setLong(root, SHARED, tx.getLong(root, SHARED) + 1);
        }
        tx.setLong(root, row + COUNT, to.count());
        tx.setLong(root, row + ATTEMPT, to.attempt());
        tx.setLong(root, row + SHARES, to.shared());
        tx.setLong(root, row + OBJECT_OF, to.objectOf());
        tx.setLong(root, row + CHECK, to.check());
        if (from.objectOf() != to.objectOf()) {
            Ref old = tx.getRef(root, row + OBJECT);
            tx.setRef(root, row + OBJECT, made(tx, thread, to.attempt()));
            tx.free(old);
        }
    }

    private static Ref made(Transaction tx, int thread, long attempt) {
        byte[] content = new byte[sizeOf(attempt)];
        for (int i = 0; i < content.length; i++) {
            content[i] = byteOf(thread, attempt, i);
        }
        Ref object = tx.allocate(content.length, TYPE);
        tx.writeBytes(object, 0, content);
        return object;
    }
}
