package io.farheap.objects.collection;

import io.farheap.objects.value.ValueType;

/**
 * The bytes of a hash map: a header, arrays of buckets, entries.
 *
 * <pre>
 * header (shared)
 *     0  what it is, 8 bytes "FHHASH\0\1"; 0 once deleted
 *     8  level: there are 2^level buckets
 *    16  offset of the cells that count entries; 0 while the map is small
 *    24  entries counted before there were cells
 *    32  27 words: of level 3 to 29, the offset of the array of buckets 2^level to 2^(level+1) - 1;
 *        0 before the first of them is used
 *   312  buckets 0 to 7 (64 bytes behind what every operation reads, so never in one line with it)
 *
 * bucket, a word    0: not split off yet, its entries are in the bucket without its highest bit
 *                   1: empty               else the offset of its first entry
 * array (shared)    of up to 2,048 buckets: their words
 *                   of more: the offsets of segments (shared) of 2,048 buckets each, 0 as above
 * entry             0 next entry, 0 for none     8 hash, 4 bytes     then the key, then the value
 * </pre>
 */
final class HashLayout {
    static final long WHAT = 0x0100_4853_4148_4846L;
    static final long HEADER_TYPE = 0x4648_0010;
    static final long BUCKETS_TYPE = 0x4648_0011;
    static final long ENTRY_TYPE = 0x4648_0012;

    static final int FIRST_LEVEL = 3;
    static final int LAST_LEVEL = 30;
    static final int SEGMENT_BITS = 11;
    static final int SEGMENT = 1 << SEGMENT_BITS;

    static final long LEVEL = 8;
    static final long CELLS = 16;
    static final long SMALL_COUNT = 24;
    private static final long ARRAYS = 32;
    private static final long FIRST_BUCKETS = 312;
    static final long HEADER_SIZE = FIRST_BUCKETS + (Long.BYTES << FIRST_LEVEL);

    static final long UNSPLIT = 0;
    static final long EMPTY = 1;

    static final long NEXT = 0;
    static final long HASH = 8;
    private static final long KEY = 12;

    /** Where the key is in an entry. */
    final long key;

    /** Where the value is in an entry. */
    final long value;

    final long entrySize;

    /** The type of values is null where there are none. */
    HashLayout(ValueType<?> keyType, ValueType<?> valueType) {
        key = aligned(KEY, keyType);
        long end = key + keyType.size();
        value = valueType == null ? end : aligned(end, valueType);
        entrySize = valueType == null ? end : value + valueType.size();
    }

    private static long aligned(long offset, ValueType<?> type) {
        return (offset + type.alignment() - 1) & -type.alignment();
    }

    /** Where the header has the offset of the array of a level's buckets. */
    static long arrayAt(int level) {
        return ARRAYS + (long) (level - FIRST_LEVEL) * Long.BYTES;
    }

    /** Where the word of a bucket is in the object that has it. */
    static long wordAt(int bucket) {
        if (bucket < 1 << FIRST_LEVEL) {
            return FIRST_BUCKETS + (long) bucket * Long.BYTES;
        }
        return (long) (indexInLevel(bucket) & SEGMENT - 1) * Long.BYTES;
    }

    /** The level of which a bucket that is no first one is. */
    static int levelOf(int bucket) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(bucket);
    }

    static int indexInLevel(int bucket) {
        return bucket - Integer.highestOneBit(bucket);
    }

    /** Where an array of more than one segment has the offset of a bucket's segment. */
    static long segmentAt(int bucket) {
        return (long) (indexInLevel(bucket) >>> SEGMENT_BITS) * Long.BYTES;
    }

    /** Whether a level's buckets are in segments. */
    static boolean isSegmented(int level) {
        return level > SEGMENT_BITS;
    }

    /** Bytes of an array of buckets, or of offsets of segments. */
    static long arraySize(int level) {
        return (long) Long.BYTES << (isSegmented(level) ? level - SEGMENT_BITS : level);
    }

    /** The bucket that has a bucket's entries before that is split off. */
    static int parent(int bucket) {
        return indexInLevel(bucket);
    }
}
