package io.farheap.objects.value;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import java.lang.foreign.MemorySegment;

/**
 * The slot of a value of no fixed size, {@value #BYTES} bytes at a multiple of 8.
 *
 * <pre>
 *                 0         4         8                15
 *   null          0 ................................. 0
 *   up to 15 B  | the bytes, then 0                  | 1 + length |
 *   more        | length  | first 4 | block, 7 B     | 0x80       |
 * </pre>
 *
 * The block has the bytes and nothing else, belongs to the slot, and never changes: another value
 * gets another one.
 */
final class ValueSlot {
    static final int BYTES = 16;
    static final int INSIDE_MAX = 15;

    /** libpmemobj's type number of the blocks. */
    static final long BLOCK_TYPE = 0x4648_00F1L;

    static final int PREFIX = 4;

    private static final int TAG = 15;
    private static final int IN_BLOCK = 0x80;
    private static final int LENGTH_AT = 0;
    private static final int PREFIX_AT = 4;
    private static final int BLOCK_AT = 8;
    private static final long BLOCK_MASK = 0x00FF_FFFF_FFFF_FFFFL;

    private ValueSlot() {}

    /** The bytes of the value; null for null. */
    static byte[] get(HeapTransaction tx, long object, long offset) {
        int tag = tag(tx, object, offset);
        if (tag == 0) {
            return null;
        }
        int length = length(tx, object, offset, tag);
        if (tag != IN_BLOCK) {
            return read(tx, object, offset, length);
        }
        long block = block(tx, object, offset);
        if (!tx.isInside(block, length)) { // before memory is taken for them all
            throw ValueType.damaged("value", object + offset, null);
        }
        return read(tx, block, 0, length);
    }

    private static byte[] read(HeapTransaction tx, long object, long offset, int length) {
        byte[] bytes = new byte[length];
        tx.read(object, offset, MemorySegment.ofArray(bytes), 0, length);
        return bytes;
    }

    /** Bytes of the value; -1 for null. */
    static int length(HeapTransaction tx, long object, long offset) {
        int tag = tag(tx, object, offset);
        return tag == 0 ? -1 : length(tx, object, offset, tag);
    }

    private static int length(HeapTransaction tx, long object, long offset, int tag) {
        int length = tag == IN_BLOCK ? tx.getInt(object, offset + LENGTH_AT) : tag - 1;
        boolean isSound =
                tag == IN_BLOCK
                        ? length > INSIDE_MAX && length <= tx.usableSize(block(tx, object, offset))
                        : length <= INSIDE_MAX;
        if (!isSound) {
            throw ValueType.damaged("value", object + offset, null);
        }
        return length;
    }

    /** The byte at {@code index}, which is less than {@link #PREFIX} or the value is inside. */
    static byte first(HeapTransaction tx, long object, long offset, int index) {
        return tag(tx, object, offset) == IN_BLOCK
                ? tx.getByte(object, offset + PREFIX_AT + index)
                : tx.getByte(object, offset + index);
    }

    static void set(HeapTransaction tx, long object, long offset, byte[] value) {
        release(tx, object, offset);
        byte[] slot = new byte[BYTES];
        if (value == null) {
            write(tx, object, offset, slot);
            return;
        }
        if (value.length <= INSIDE_MAX) {
            System.arraycopy(value, 0, slot, 0, value.length);
            slot[TAG] = (byte) (1 + value.length);
            write(tx, object, offset, slot);
            return;
        }
        long block = tx.allocate(value.length, BLOCK_TYPE);
        write(tx, block, 0, value);
        ValueImage image = new ValueImage(slot);
        image.putInt(LENGTH_AT, value.length);
        System.arraycopy(value, 0, slot, PREFIX_AT, PREFIX);
        image.putLong(BLOCK_AT, block | (long) IN_BLOCK << 56);
        write(tx, object, offset, slot);
    }

    private static void write(HeapTransaction tx, long object, long offset, byte[] bytes) {
        tx.write(object, offset, MemorySegment.ofArray(bytes), 0, bytes.length);
    }

    static void release(HeapTransaction tx, long object, long offset) {
        if (tag(tx, object, offset) == IN_BLOCK) {
            tx.free(block(tx, object, offset));
        }
    }

    static void reach(HeapTransaction tx, long object, long offset, Reach reach) {
        if (tag(tx, object, offset) == IN_BLOCK) {
            reach.block(block(tx, object, offset));
        }
    }

    private static int tag(HeapTransaction tx, long object, long offset) {
        return tx.getByte(object, offset + TAG) & 0xFF;
    }

    private static long block(HeapTransaction tx, long object, long offset) {
        long block = tx.getLong(object, offset + BLOCK_AT) & BLOCK_MASK;
        if (block == 0) {
            throw FarheapException.badData(
                    "The value at 0x%x names no block: it is damaged.", object + offset);
        }
        return block;
    }
}
