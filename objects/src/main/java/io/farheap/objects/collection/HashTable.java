package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.LongType;
import io.farheap.objects.value.ValueType;
import java.util.function.BiConsumer;

/**
 * What a hash map does within a transaction or read ({@link HashLayout} has its bytes). Without
 * state; entries are their offsets, 0 is none.
 */
final class HashTable<K, V> extends CollectionStructure {
    /** An insertion that met so many entries of its bucket looks at whether the map is to grow. */
    private static final int LONG_CHAIN = 3;

    /** From this level on the map counts in cells. */
    private static final int LEVEL_OF_CELLS = 6;

    static final long SCAN_BEGIN = 0;
    static final long SCAN_END = 1L << 32;

    final ValueType<K> keyType;

    /** Null of a set: all its values are true. */
    final ValueType<V> valueType;

    final HashLayout layout;

    HashTable(ValueType<K> keyType, ValueType<V> valueType) {
        this.keyType = keyType;
        this.valueType = valueType;
        this.layout = new HashLayout(keyType, valueType);
    }

    @Override
    long create(HeapTransaction tx) {
        long header = tx.allocate(HashLayout.HEADER_SIZE, HashLayout.HEADER_TYPE);
        tx.setSharedLong(header, 0, HashLayout.WHAT);
        tx.setSharedLong(header, HashLayout.LEVEL, HashLayout.FIRST_LEVEL);
        return header;
    }

    @Override
    void delete(HeapTransaction tx, long header) {
        clear(tx, header);
        tx.setSharedLong(header, 0, 0);
    }

    // ---- entries by key ----

    private int hashOf(K key) {
        return mixed(keyType.hash(key));
    }

    static int hashOf(long key) {
        return mixed(LongType.hashOf(key));
    }

    /** Buckets are told by the lowest bits, so they depend on all others. */
    private static int mixed(int hash) {
        int mixed = (hash ^ hash >>> 16) * 0x85EB_CA6B;
        mixed = (mixed ^ mixed >>> 13) * 0xC2B2_AE35;
        return mixed ^ mixed >>> 16;
    }

    private boolean matches(HeapTransaction tx, long entry, int hash, K key) {
        return tx.getInt(entry, HashLayout.HASH) == hash
                && keyType.isEqual(tx, entry, layout.key, key);
    }

    /** The first entry of a hash's bucket. */
    private static long first(HeapTransaction tx, long header, int hash) {
        long first = HashBuckets.peekFirst(tx, header, hash);
        if (first != HashBuckets.UNSURE) {
            return first;
        }
        int bucket = hash & (1 << HashBuckets.level(tx, header)) - 1;
        return HashBuckets.firstOfOwner(tx, header, bucket);
    }

    long find(HeapTransaction tx, long header, K key) {
        int hash = hashOf(key);
        long entry = first(tx, header, hash);
        for (int steps = 0; entry != 0 && !matches(tx, entry, hash, key); steps++) {
            if (steps == CircleWatch.SHORT) {
                return findFar(tx, header, entry, hash, key);
            }
            entry = HashChain.next(tx, entry);
        }
        return entry;
    }

    private long findFar(HeapTransaction tx, long header, long from, int hash, K key) {
        CircleWatch watch = HashChain.watch(header);
        long entry = from;
        while (entry != 0 && !matches(tx, entry, hash, key)) {
            watch.pass(entry);
            entry = HashChain.next(tx, entry);
        }
        return entry;
    }

    long findLong(HeapTransaction tx, long header, long key) {
        long entry = first(tx, header, hashOf(key));
        for (int steps = 0; entry != 0 && tx.getLong(entry, layout.key) != key; steps++) {
            if (steps == CircleWatch.SHORT) {
                return findLongFar(tx, header, entry, key);
            }
            entry = HashChain.next(tx, entry);
        }
        return entry;
    }

    private long findLongFar(HeapTransaction tx, long header, long from, long key) {
        CircleWatch watch = HashChain.watch(header);
        long entry = from;
        while (entry != 0 && tx.getLong(entry, layout.key) != key) {
            watch.pass(entry);
            entry = HashChain.next(tx, entry);
        }
        return entry;
    }

    K key(HeapTransaction tx, long entry) {
        return CollectionCheck.present(
                keyType.get(tx, entry, layout.key), "key of a map or set in the entry", entry);
    }

    V value(HeapTransaction tx, long entry) {
        if (valueType == null) {
            return present();
        }
        return CollectionCheck.present(
                valueType.get(tx, entry, layout.value), "value of a map in the entry", entry);
    }

    @SuppressWarnings("unchecked") // V is Boolean: CollectionType makes sets so
    private V present() {
        return (V) Boolean.TRUE;
    }

    /** The key of an entry that is about to go. */
    K takenKey(HeapTransaction tx, long entry) {
        return CollectionCheck.present(
                keyType.taken(tx, entry, layout.key), "key of a map or set in the entry", entry);
    }

    /** The value of an entry that is about to lose it. */
    V takenValue(HeapTransaction tx, long entry) {
        if (valueType == null) {
            return present();
        }
        return CollectionCheck.present(
                valueType.taken(tx, entry, layout.value), "value of a map in the entry", entry);
    }

    private void hand(HeapTransaction tx, long entry, Handing handing, BiConsumer<K, V> taker) {
        K key = handing.isLeaving ? takenKey(tx, entry) : key(tx, entry);
        V value = null;
        if (handing.hasValues) {
            value = handing.isLeaving ? takenValue(tx, entry) : value(tx, entry);
        }
        taker.accept(key, value);
    }

    void setValue(HeapTransaction tx, long entry, V value) {
        if (valueType != null) {
            valueType.set(tx, entry, layout.value, value);
        }
    }

    /** The operations without objects of the map at a header. */
    LongEntries longs(HeapTransactions heap, long header) {
        return new LongEntries(
                heap,
                new HashLongs(this, header),
                keyType == LongType.LONG,
                valueType == LongType.LONG);
    }

    // ---- insertion and removal ----

    /** Inserts a key that is not there; returns its entry, whose value is to be set. */
    long insert(HeapTransaction tx, long header, K key) {
        long entry = insertHash(tx, header, hashOf(key));
        keyType.set(tx, entry, layout.key, key);
        return entry;
    }

    /** Inserts an entry whose key and value are to be set. */
    long insertHash(HeapTransaction tx, long header, int hash) {
        int level = HashBuckets.level(tx, header);
        int bucket = hash & (1 << level) - 1;
        long holder = HashBuckets.split(tx, header, bucket);
        long first = HashBuckets.first(tx, holder, bucket);
        long entry = tx.allocate(layout.entrySize, HashLayout.ENTRY_TYPE);
        tx.setLong(entry, HashLayout.NEXT, first);
        tx.setInt(entry, HashLayout.HASH, hash);
        HashBuckets.setFirst(tx, holder, bucket, entry);
        count(tx, header, 1);
        if (level < HashLayout.LAST_LEVEL && isLong(tx, first) && size(tx, header) > 1L << level) {
            grow(tx, header, level + 1);
        }
        return entry;
    }

    private static boolean isLong(HeapTransaction tx, long first) {
        long entry = first;
        for (int met = 0; met < LONG_CHAIN; met++) {
            if (entry == 0) {
                return false;
            }
            entry = tx.getLong(entry, HashLayout.NEXT);
        }
        return true;
    }

    private static void grow(HeapTransaction tx, long header, int level) {
        tx.setSharedLong(header, HashLayout.LEVEL, level);
        if (level >= LEVEL_OF_CELLS && tx.getSharedLong(header, HashLayout.CELLS) == 0) {
            tx.setSharedLong(header, HashLayout.CELLS, CountCells.create(tx));
        }
    }

    private static void count(HeapTransaction tx, long header, long amount) {
        long cells = tx.getSharedLong(header, HashLayout.CELLS);
        if (cells != 0) {
            CountCells.add(tx, cells, amount);
        } else {
            long count = tx.getSharedLong(header, HashLayout.SMALL_COUNT);
            tx.setSharedLong(header, HashLayout.SMALL_COUNT, count + amount);
        }
    }

    /** Removes an entry that {@link #find} found for a key. */
    void remove(HeapTransaction tx, long header, long entry) {
        int hash = tx.getInt(entry, HashLayout.HASH);
        int bucket = hash & (1 << HashBuckets.level(tx, header)) - 1;
        int owner = HashBuckets.owner(tx, header, bucket);
        long holder = HashBuckets.holder(tx, header, owner);
        long next = tx.getLong(entry, HashLayout.NEXT);
        long before = HashBuckets.first(tx, holder, owner);
        if (before == entry) {
            HashBuckets.setFirst(tx, holder, owner, next);
        } else {
            before = HashChain.before(tx, header, before, entry);
            tx.setLong(before, HashLayout.NEXT, next);
        }
        free(tx, entry);
        count(tx, header, -1);
    }

    private void free(HeapTransaction tx, long entry) {
        keyType.release(tx, entry, layout.key);
        if (valueType != null) {
            valueType.release(tx, entry, layout.value);
        }
        tx.free(entry);
    }

    // ---- all entries ----

    static long size(HeapTransaction tx, long header) {
        int level = HashBuckets.level(tx, header);
        long count = tx.getSharedLong(header, HashLayout.SMALL_COUNT);
        long cells = level < LEVEL_OF_CELLS ? 0 : tx.getSharedLong(header, HashLayout.CELLS);
        count += cells == 0 ? 0 : CountCells.sum(tx, cells);
        return CollectionCheck.size(tx, HashChain.WHAT, header, count);
    }

    /** Frees all entries; the map is as created. */
    void clear(HeapTransaction tx, long header) {
        int buckets = 1 << HashBuckets.level(tx, header);
        for (int bucket = 0;
                bucket < buckets;
                bucket = HashBuckets.nextSplit(tx, header, bucket + 1, buckets)) {
            long entry = HashBuckets.firstOfOwner(tx, header, bucket);
            while (entry != 0) {
                CollectionCheck.requireOnce(tx, HashChain.WHAT, header, entry);
                long next = HashChain.next(tx, entry);
                free(tx, entry);
                entry = next;
            }
        }
        HashBuckets.freeArrays(tx, header);
        long cells = tx.getSharedLong(header, HashLayout.CELLS);
        if (cells != 0) {
            tx.freeShared(cells);
            tx.setSharedLong(header, HashLayout.CELLS, 0);
        }
        tx.setSharedLong(header, HashLayout.SMALL_COUNT, 0);
        tx.setSharedLong(header, HashLayout.LEVEL, HashLayout.FIRST_LEVEL);
    }

    /**
     * Hands over the entries of one bucket that a scan has not seen; returns where it goes on,
     * {@link #SCAN_END} at its end.
     *
     * <p>It goes through hashes with their bits in reverse order: the entries of a bucket, and of
     * those that are split off it, are neighbours then. So it needs no look at what the level was
     * before: whatever is there all the time it meets once.
     */
    long scan(HeapTransaction tx, long header, long from, Handing handing, BiConsumer<K, V> found) {
        int level = HashBuckets.levelOfArrays(tx, header);
        int mask = (1 << level) - 1;
        int bucket = Integer.reverse((int) from) & mask;
        long entry = HashBuckets.firstOfOwner(tx, header, bucket);
        CircleWatch watch = HashChain.watch(header);
        while (entry != 0) {
            watch.pass(entry);
            int hash = tx.getInt(entry, HashLayout.HASH);
            if ((hash & mask) == bucket
                    && Integer.compareUnsigned(Integer.reverse(hash), (int) from) >= 0) {
                hand(tx, entry, handing, found);
            }
            entry = HashChain.next(tx, entry);
        }
        int unused = Integer.SIZE - level;
        return (from >>> unused) + 1 << unused;
    }

    @Override
    void content(HeapTransaction tx, long header, long most, ContentVisitor visitor) {
        new HashContent<>(this, tx, header, most).show(visitor);
    }

    @Override
    @SuppressWarnings("unchecked") // CollectionType's caller knows the types
    boolean append(HeapTransaction tx, long header, Object key, Object value) {
        if (find(tx, header, (K) key) != 0) {
            return false;
        }
        setValue(tx, insert(tx, header, (K) key), (V) value);
        return true;
    }

    @Override
    void walk(HeapTransaction tx, long header, CollectionVisitor visitor) {
        int buckets = 1 << HashBuckets.level(tx, header);
        visitor.object(header);
        long cells = tx.getSharedLong(header, HashLayout.CELLS);
        if (cells != 0) {
            visitor.object(cells);
        }
        HashBuckets.walkArrays(tx, header, visitor);
        CircleWatch watch = HashChain.watch(header);
        for (int bucket = 0;
                bucket < buckets;
                bucket = HashBuckets.nextSplit(tx, header, bucket + 1, buckets)) {
            long entry = HashBuckets.firstOfOwner(tx, header, bucket);
            watch.begin();
            while (entry != 0) {
                watch.pass(entry);
                visitor.object(entry);
                visitor.slot(keyType, entry, layout.key);
                if (valueType != null) {
                    visitor.slot(valueType, entry, layout.value);
                }
                entry = HashChain.next(tx, entry);
            }
        }
    }
}
