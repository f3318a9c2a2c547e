package io.farheap.testing;

import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;

/** The memory of a simulated machine: tells of each store, after it. */
final class ObservedMemory extends PoolMemory {
    /** Who is told. */
    @FunctionalInterface
    interface StoreObserver {
        /** {@code length} bytes at image offset {@code offset} were stored just now. */
        void stored(long offset, long length);
    }

    private final StoreObserver observer;

    ObservedMemory(MemorySegment image, Persistence persistence, StoreObserver observer) {
        super(image, persistence);
        this.observer = observer;
    }

    @Override
    public void putByte(long offset, byte value) {
        super.putByte(offset, value);
        observer.stored(offset, Byte.BYTES);
    }

    @Override
    public void putShort(long offset, short value) {
        super.putShort(offset, value);
        observer.stored(offset, Short.BYTES);
    }

    @Override
    public void putInt(long offset, int value) {
        super.putInt(offset, value);
        observer.stored(offset, Integer.BYTES);
    }

    @Override
    public void putLong(long offset, long value) {
        super.putLong(offset, value);
        observer.stored(offset, Long.BYTES);
    }

    @Override
    public void putLongRelease(long offset, long value) {
        super.putLongRelease(offset, value);
        observer.stored(offset, Long.BYTES);
    }

    @Override
    public void orLong(long offset, long mask) {
        super.orLong(offset, mask);
        observer.stored(offset, Long.BYTES);
    }

    @Override
    public void andLong(long offset, long mask) {
        super.andLong(offset, mask);
        observer.stored(offset, Long.BYTES);
    }

    @Override
    public void copyIn(long offset, MemorySegment source, long sourceOffset, long length) {
        super.copyIn(offset, source, sourceOffset, length);
        observer.stored(offset, length);
    }

    @Override
    public void copyOut(long offset, MemorySegment target, long targetOffset, long length) {
        super.copyOut(offset, target, targetOffset, length);
        if (image().equals(target)) {
            observer.stored(targetOffset, length);
        }
    }

    @Override
    public void copy(long from, long to, long length) {
        super.copy(from, to, length);
        observer.stored(to, length);
    }
}
