package io.farheap.testing.mutation;

import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;

/** What a mutant calls instead of the product's methods: the same without a flush or a fence. */
@SuppressWarnings("unused")
public final class Without {
    private Without() {}

    public static void flush(PoolMemory memory, long offset, long length) {
        // left out
    }

    public static void flush(Persistence persistence, long offset, long length) {
        // left out
    }

    public static void fence(PoolMemory memory) {
        // left out
    }

    public static void fence(Persistence persistence) {
        // left out
    }

    public static void order(PoolMemory memory) {
        // left out
    }

    public static void order(Persistence persistence) {
        // left out
    }

    public static void persistWithoutFlush(PoolMemory memory, long offset, long length) {
        memory.fence();
    }

    public static void persistWithoutFence(PoolMemory memory, long offset, long length) {
        memory.flush(offset, length);
    }

    public static void persistLongWithoutFlush(PoolMemory memory, long offset, long value) {
        memory.putLong(offset, value);
        memory.fence();
    }

    public static void persistLongWithoutFence(PoolMemory memory, long offset, long value) {
        memory.putLong(offset, value);
        memory.flush(offset, Long.BYTES);
    }
}
