package io.farheap.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.TransactionBody;
import io.farheap.base.Ref;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A hash map built on the raw API, with bare offsets: the root object is the table of references to
 * the first entry of each bucket, an entry is the reference to the next one, the key, the value.
 *
 * <pre>
 * entry   0 next, a reference    16 key    24 value, 64 bytes
 * </pre>
 *
 * <p>Thread-safe by a lock per stripe of buckets, which a change holds until its commit is
 * acknowledged; get needs no transaction under it. {@code map.c} does the same with libpmemobj.
 */
final class RawHashMap {
    static final int VALUE_BYTES = 64;

    private static final int TYPE = 1;
    private static final int LEAST_BUCKET_BITS = 17;
    private static final int STRIPES = 64;
    private static final long NEXT = 0;
    private static final long KEY = NEXT + Ref.BYTES;
    private static final long VALUE = KEY + Long.BYTES;
    private static final long ENTRY_BYTES = VALUE + VALUE_BYTES;

    private final ObjectPool pool;
    private final long table;
    private final int bucketBits;
    private final ReentrantLock[] locks = new ReentrantLock[STRIPES];

    /** With a bucket for each of so many entries, or more. */
    RawHashMap(ObjectPool pool, int entries) {
        this.pool = pool;
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(entries - 1);
        this.bucketBits = Math.max(LEAST_BUCKET_BITS, bits);
        this.table = pool.root((long) Ref.BYTES << bucketBits).offset();
        for (int i = 0; i < STRIPES; i++) {
            locks[i] = new ReentrantLock();
        }
    }

    /** What one thread does it with: the parameters of its transactions, so that none is made. */
    final class Session {
        private final TransactionBody<RuntimeException> put = this::put;
        private final TransactionBody<RuntimeException> remove = this::remove;

        /** A copy of the entry that get looks at: one check of the pool's instead of three. */
        private final MemorySegment seen = Arena.ofAuto().allocate(ENTRY_BYTES, Long.BYTES);

        private long key;
        private MemorySegment value;

        /** Where {@link #find} found the link to the entry: in the table or an entry. */
        private long linkObject;

        private long linkOffset;
        private boolean found;

        /** Sets the value of a key, {@value #VALUE_BYTES} bytes. */
        void put(long newKey, MemorySegment newValue) {
            key = newKey;
            value = newValue;
            pool.transaction(put);
        }

        /** Whether the key was there. */
        boolean remove(long oldKey) {
            key = oldKey;
            pool.transaction(remove);
            return found;
        }

        /** Copies the value of a key to {@code target}; whether the key is there. */
        boolean get(long wanted, MemorySegment target) {
            ReentrantLock lock = locks[stripe(wanted)];
            lock.lock();
            try {
                long entry = pool.raw().getLong(table, slot(wanted) + Long.BYTES);
                while (entry != 0) {
                    pool.raw().readBytes(entry, 0, seen, 0, ENTRY_BYTES);
                    if (seen.get(JAVA_LONG, KEY) == wanted) {
                        MemorySegment.copy(seen, VALUE, target, 0, VALUE_BYTES);
                        return true;
                    }
                    entry = seen.get(JAVA_LONG, NEXT + Long.BYTES);
                }
                return false;
            } finally {
                lock.unlock();
            }
        }

        private void put(Transaction tx) {
            tx.lock(locks[stripe(key)]);
            long entry = find(tx);
            if (entry == 0) {
                entry = tx.raw().allocate(ENTRY_BYTES, TYPE, false);
                tx.raw().setRef(entry, NEXT, 0);
                tx.raw().setLong(entry, KEY, key);
                tx.raw().writeBytes(entry, VALUE, value, 0, VALUE_BYTES);
                tx.raw().setRef(linkObject, linkOffset, entry);
            } else {
                tx.raw().writeBytes(entry, VALUE, value, 0, VALUE_BYTES);
            }
        }

        private void remove(Transaction tx) {
            tx.lock(locks[stripe(key)]);
            long entry = find(tx);
            found = entry != 0;
            if (found) {
                tx.raw().setRef(linkObject, linkOffset, tx.raw().getRef(entry, NEXT));
                tx.raw().free(entry);
            }
        }

        private long find(Transaction tx) {
            linkObject = table;
            linkOffset = slot(key);
            long entry = tx.raw().getRef(linkObject, linkOffset);
            while (entry != 0 && tx.raw().getLong(entry, KEY) != key) {
                linkObject = entry;
                linkOffset = NEXT;
                entry = tx.raw().getRef(linkObject, linkOffset);
            }
            return entry;
        }
    }

    private int bucket(long key) {
        return (int) (key * 0x9E3779B97F4A7C15L >>> Long.SIZE - bucketBits);
    }

    private long slot(long key) {
        return (long) Ref.BYTES * bucket(key);
    }

    private int stripe(long key) {
        return bucket(key) % STRIPES;
    }
}
