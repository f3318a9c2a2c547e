package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.ValueType;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/** A string in a block of its own, whatever its length: what is not freed is seen at once. */
final class OwnedText extends ValueType<String> {
    static final OwnedText TEXT = new OwnedText();
    static final long TYPE = 0x7e87;

    private static final int HEAD = Integer.BYTES;

    @Override
    public int size() {
        return Long.BYTES;
    }

    @Override
    public int alignment() {
        return Long.BYTES;
    }

    @Override
    public String get(HeapTransaction tx, long object, long offset) {
        long block = tx.getLong(object, offset);
        if (block == 0) {
            return null;
        }
        byte[] bytes = new byte[tx.getInt(block, 0)];
        tx.read(block, HEAD, MemorySegment.ofArray(bytes), 0, bytes.length);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void set(HeapTransaction tx, long object, long offset, String value) {
        release(tx, object, offset);
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        long block = tx.allocate(HEAD + bytes.length, TYPE);
        tx.setInt(block, 0, bytes.length);
        tx.write(block, HEAD, MemorySegment.ofArray(bytes), 0, bytes.length);
        tx.setLong(object, offset, block);
    }

    @Override
    public void release(HeapTransaction tx, long object, long offset) {
        long block = tx.getLong(object, offset);
        if (block != 0) {
            tx.free(block);
        }
    }

    @Override
    public int hash(String value) {
        return value.hashCode();
    }

    @Override
    public void copy(HeapTransaction tx, long from, long fromAt, long object, long offset) {
        set(tx, object, offset, get(tx, from, fromAt));
    }
}
