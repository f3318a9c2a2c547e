package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;

/**
 * The buckets of a hash map: finds the word of each, makes the arrays that have them, splits one
 * bucket off another when it is first needed. A bucket's word has the first of its entries.
 *
 * <p>To double the map is to write its level. Which entries belong to a bucket that is not split
 * off yet is known from their hashes; the first insertion into it moves them. So no operation does
 * more than its own bucket asks for, and no word but the level is common to all.
 */
final class HashBuckets {
    private HashBuckets() {}

    /** The level; refuses what is no map, or none any more. */
    static int level(HeapTransaction tx, long header) {
        if (tx.getSharedLong(header, 0) != HashLayout.WHAT) {
            throw FarheapException.wrongUse(
                    "The map at 0x%s was deleted.", Long.toHexString(header));
        }
        return (int) tx.getSharedLong(header, HashLayout.LEVEL);
    }

    /** The object that has the word of a bucket; 0 where there is none yet. */
    static long holder(HeapTransaction tx, long header, int bucket) {
        if (bucket < 1 << HashLayout.FIRST_LEVEL) {
            return header;
        }
        int level = HashLayout.levelOf(bucket);
        long array = tx.getSharedLong(header, HashLayout.arrayAt(level));
        if (array == 0 || !HashLayout.isSegmented(level)) {
            return array;
        }
        return tx.getSharedLong(array, HashLayout.segmentAt(bucket));
    }

    /** The bucket that has the entries of {@code bucket}: itself or one it was not split off. */
    static int owner(HeapTransaction tx, long header, int bucket) {
        int owner = bucket;
        while (owner >= 1 << HashLayout.FIRST_LEVEL) {
            long holder = holder(tx, header, owner);
            if (holder != 0
                    && tx.getSharedLong(holder, HashLayout.wordAt(owner)) != HashLayout.UNSPLIT) {
                break;
            }
            owner = HashLayout.parent(owner);
        }
        return owner;
    }

    /** The first entry of a bucket or, where it is not split off, of its owner; 0 for none. */
    static long firstOfOwner(HeapTransaction tx, long header, int bucket) {
        for (int owner = bucket; ; owner = HashLayout.parent(owner)) {
            long holder = holder(tx, header, owner);
            long word = holder == 0 ? 0 : tx.getSharedLong(holder, HashLayout.wordAt(owner));
            if (word != HashLayout.UNSPLIT) {
                return word == HashLayout.EMPTY ? 0 : word;
            }
            if (owner < 1 << HashLayout.FIRST_LEVEL) {
                return 0;
            }
        }
    }

    /** The first entry of a bucket that is split off; 0 for none. */
    static long first(HeapTransaction tx, long header, int bucket) {
        long word = tx.getSharedLong(holder(tx, header, bucket), HashLayout.wordAt(bucket));
        return word == HashLayout.EMPTY ? 0 : word;
    }

    static void setFirst(HeapTransaction tx, long header, int bucket, long entry) {
        tx.setSharedLong(
                holder(tx, header, bucket),
                HashLayout.wordAt(bucket),
                entry == 0 ? HashLayout.EMPTY : entry);
    }

    /** Splits a bucket off, and before it those that it is to be split off from. */
    static void split(HeapTransaction tx, long header, int bucket) {
        int owner = owner(tx, header, bucket);
        while (owner != bucket) {
            int next = bucket;
            while (HashLayout.parent(next) != owner) {
                next = HashLayout.parent(next);
            }
            splitOff(tx, header, owner, next);
            owner = next;
        }
    }

    private static void splitOff(HeapTransaction tx, long header, int from, int bucket) {
        int mask = (Integer.highestOneBit(bucket) << 1) - 1;
        makeHolder(tx, header, bucket);
        long moved = 0;
        long last = 0;
        long entry = first(tx, header, from);
        while (entry != 0) {
            long next = tx.getLong(entry, HashLayout.NEXT);
            if ((tx.getInt(entry, HashLayout.HASH) & mask) == bucket) {
                if (last == 0) {
                    setFirst(tx, header, from, next);
                } else {
                    tx.setLong(last, HashLayout.NEXT, next);
                }
                tx.setLong(entry, HashLayout.NEXT, moved);
                moved = entry;
            } else {
                last = entry;
            }
            entry = next;
        }
        setFirst(tx, header, bucket, moved);
    }

    private static void makeHolder(HeapTransaction tx, long header, int bucket) {
        int level = HashLayout.levelOf(bucket);
        long array = tx.getSharedLong(header, HashLayout.arrayAt(level));
        if (array == 0) {
            array = tx.allocate(HashLayout.arraySize(level), HashLayout.BUCKETS_TYPE);
            tx.setSharedLong(header, HashLayout.arrayAt(level), array);
        }
        if (HashLayout.isSegmented(level)
                && tx.getSharedLong(array, HashLayout.segmentAt(bucket)) == 0) {
            long segment =
                    tx.allocate((long) HashLayout.SEGMENT * Long.BYTES, HashLayout.BUCKETS_TYPE);
            tx.setSharedLong(array, HashLayout.segmentAt(bucket), segment);
        }
    }

    /** Frees all arrays; what entries the first buckets have is of no interest any more. */
    static void freeArrays(HeapTransaction tx, long header) {
        for (int level = HashLayout.FIRST_LEVEL; level < HashLayout.LAST_LEVEL; level++) {
            long array = tx.getSharedLong(header, HashLayout.arrayAt(level));
            if (array == 0) {
                continue;
            }
            for (long at = 0; at < segmentsSize(level); at += Long.BYTES) {
                long segment = tx.getSharedLong(array, at);
                if (segment != 0) {
                    tx.freeShared(segment);
                }
            }
            tx.freeShared(array);
            tx.setSharedLong(header, HashLayout.arrayAt(level), 0);
        }
        for (int bucket = 0; bucket < 1 << HashLayout.FIRST_LEVEL; bucket++) {
            tx.setSharedLong(header, HashLayout.wordAt(bucket), 0);
        }
    }

    private static long segmentsSize(int level) {
        return HashLayout.isSegmented(level) ? HashLayout.arraySize(level) : 0;
    }

    static void walkArrays(HeapTransaction tx, long header, CollectionVisitor visitor) {
        for (int level = HashLayout.FIRST_LEVEL; level < HashLayout.LAST_LEVEL; level++) {
            long array = tx.getSharedLong(header, HashLayout.arrayAt(level));
            if (array == 0) {
                continue;
            }
            visitor.object(array);
            for (long at = 0; at < segmentsSize(level); at += Long.BYTES) {
                long segment = tx.getSharedLong(array, at);
                if (segment != 0) {
                    visitor.object(segment);
                }
            }
        }
    }
}
