package io.farheap.objects.collection;

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
            throw CollectionCheck.notThere("map", header, tx.getSharedLong(header, 0));
        }
        long level = tx.getSharedLong(header, HashLayout.LEVEL);
        if (level < HashLayout.FIRST_LEVEL || level > HashLayout.LAST_LEVEL) {
            throw HashChain.damaged(header, "its level is " + level);
        }
        return (int) level;
    }

    /** The level up to which there are arrays: what is above it was never split off. */
    static int levelOfArrays(HeapTransaction tx, long header) {
        int level = level(tx, header);
        while (level > HashLayout.FIRST_LEVEL
                && tx.getSharedLong(header, HashLayout.arrayAt(level - 1)) == 0) {
            level--;
        }
        return level;
    }

    /** The next bucket from one on that is split off; {@code buckets} for none. */
    static int nextSplit(HeapTransaction tx, long header, int from, int buckets) {
        int bucket = from;
        while (bucket < buckets && bucket >= 1 << HashLayout.FIRST_LEVEL) {
            int level = HashLayout.levelOf(bucket);
            long holder = holder(tx, header, bucket);
            if (holder == 0) {
                boolean isOfSegment =
                        HashLayout.isSegmented(level)
                                && tx.getSharedLong(header, HashLayout.arrayAt(level)) != 0;
                bucket = isOfSegment ? (bucket | HashLayout.SEGMENT - 1) + 1 : 2 << level;
            } else if (tx.getSharedLong(holder, HashLayout.wordAt(bucket)) != HashLayout.UNSPLIT) {
                return bucket;
            } else {
                bucket++;
            }
        }
        return Math.min(bucket, buckets);
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

    /** What {@link #peekFirst} says where something else is to look. */
    static final long UNSURE = -1;

    /**
     * As {@link #firstOfOwner} of a hash's bucket, by loads with one look at the clock for all of
     * them; {@link #UNSURE} where that does not do.
     */
    static long peekFirst(HeapTransaction tx, long header, int hash) {
        if (!tx.isQuiet()) {
            return UNSURE;
        }
        long first;
        try {
            first = peek(tx, header, hash);
        } catch (IndexOutOfBoundsException e) { // of words of two moments, or of a damaged map
            return UNSURE;
        }
        return tx.isStillQuiet() ? first : UNSURE;
    }

    private static long peek(HeapTransaction tx, long header, int hash) {
        if (tx.peek(header, Long.BYTES) != HashLayout.WHAT) {
            return UNSURE;
        }
        int level = (int) tx.peek(header + HashLayout.LEVEL, Long.BYTES);
        int bucket = hash & (1 << level) - 1;
        long word = peekWord(tx, header, bucket);
        while (word == HashLayout.UNSPLIT && bucket >= 1 << HashLayout.FIRST_LEVEL) {
            bucket = HashLayout.parent(bucket);
            word = peekWord(tx, header, bucket);
        }
        return word == HashLayout.EMPTY ? 0 : word;
    }

    private static long peekWord(HeapTransaction tx, long header, int bucket) {
        long holder = header;
        if (bucket >= 1 << HashLayout.FIRST_LEVEL) {
            int level = HashLayout.levelOf(bucket);
            holder = tx.peek(header + HashLayout.arrayAt(level), Long.BYTES);
            if (holder != 0 && HashLayout.isSegmented(level)) {
                holder = tx.peek(holder + HashLayout.segmentAt(bucket), Long.BYTES);
            }
        }
        return holder == 0
                ? HashLayout.UNSPLIT
                : tx.peek(holder + HashLayout.wordAt(bucket), Long.BYTES);
    }

    /** The first entry of a bucket that is split off, by its {@link #holder}; 0 for none. */
    static long first(HeapTransaction tx, long holder, int bucket) {
        long word = tx.getSharedLong(holder, HashLayout.wordAt(bucket));
        return word == HashLayout.EMPTY ? 0 : word;
    }

    static void setFirst(HeapTransaction tx, long holder, int bucket, long entry) {
        tx.setSharedLong(holder, HashLayout.wordAt(bucket), entry == 0 ? HashLayout.EMPTY : entry);
    }

    /** Splits a bucket off, if it was not; returns its {@link #holder}. */
    static long split(HeapTransaction tx, long header, int bucket) {
        long holder = holder(tx, header, bucket);
        boolean isSplit =
                bucket < 1 << HashLayout.FIRST_LEVEL
                        || holder != 0
                                && tx.getSharedLong(holder, HashLayout.wordAt(bucket))
                                        != HashLayout.UNSPLIT;
        if (isSplit) {
            return holder;
        }
        splitAll(tx, header, bucket);
        return holder(tx, header, bucket);
    }

    /** Splits a bucket off, and before it those that it is to be split off from. */
    private static void splitAll(HeapTransaction tx, long header, int bucket) {
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

    /** Entries keep their order, so that only links are written that change. */
    private static void splitOff(HeapTransaction tx, long header, int from, int bucket) {
        int mask = (Integer.highestOneBit(bucket) << 1) - 1;
        makeHolder(tx, header, bucket);
        long holder = holder(tx, header, from);
        long first = first(tx, holder, from);
        long firstStaying = 0;
        long firstMoved = 0;
        long staying = 0;
        long moved = 0;
        long before = 0;
        long entry = first;
        CircleWatch watch = null;
        for (int steps = 0; entry != 0; steps++) {
            watch = HashChain.passed(watch, header, steps, entry);
            long next = HashChain.next(tx, entry);
            if ((tx.getInt(entry, HashLayout.HASH) & mask) == bucket) {
                link(tx, moved, before, entry);
                firstMoved = moved == 0 ? entry : firstMoved;
                moved = entry;
            } else {
                link(tx, staying, before, entry);
                firstStaying = staying == 0 ? entry : firstStaying;
                staying = entry;
            }
            before = entry;
            entry = next;
        }
        link(tx, moved, before, 0);
        link(tx, staying, before, 0);
        if (firstStaying != first) {
            setFirst(tx, holder, from, firstStaying);
        }
        setFirst(tx, holder(tx, header, bucket), bucket, firstMoved);
    }

    /** Makes {@code next} follow the last entry of a part, unless there is none or it does. */
    private static void link(HeapTransaction tx, long last, long before, long next) {
        if (last != 0 && last != before) {
            tx.setLong(last, HashLayout.NEXT, next);
        }
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
