package io.farheap.benchmarks;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.ValueType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** 64 bytes inside the slot. */
final class FlatBytes extends ValueType<byte[]> {
    static final int SIZE = RawHashMap.VALUE_BYTES;

    @Override
    public int size() {
        return SIZE;
    }

    @Override
    public int alignment() {
        return Long.BYTES;
    }

    @Override
    public byte[] get(HeapTransaction tx, long object, long offset) {
        byte[] value = new byte[SIZE];
        tx.read(object, offset, MemorySegment.ofArray(value), 0, SIZE);
        return value;
    }

    @Override
    public void set(HeapTransaction tx, long object, long offset, byte[] value) {
        tx.write(object, offset, MemorySegment.ofArray(value), 0, SIZE);
    }

    @Override
    public int hash(byte[] value) {
        return Arrays.hashCode(value);
    }
}
