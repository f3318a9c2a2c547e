package io.farheap.objects.transaction;

import io.farheap.engine.ObjectAccess;
import io.farheap.memory.PoolMemory;

/**
 * Numbers of 1, 2, 4 and 8 bytes by their size, so that the steps around a load or store are
 * written once; where the size is a constant, the compiler leaves one load.
 */
final class Numbers {
    private Numbers() {}

    static long load(PoolMemory memory, long offset, int size) {
        return switch (size) {
            case Long.BYTES -> memory.getLong(offset);
            case Integer.BYTES -> memory.getInt(offset);
            case Short.BYTES -> memory.getShort(offset);
            default -> memory.getByte(offset);
        };
    }

    static long load(ObjectAccess objects, long object, long offset, int size) {
        return switch (size) {
            case Long.BYTES -> objects.getLong(object, offset);
            case Integer.BYTES -> objects.getInt(object, offset);
            case Short.BYTES -> objects.getShort(object, offset);
            default -> objects.getByte(object, offset);
        };
    }

    static void store(ObjectAccess objects, long object, long offset, int size, long value) {
        switch (size) {
            case Long.BYTES -> objects.setLong(object, offset, value);
            case Integer.BYTES -> objects.setInt(object, offset, (int) value);
            case Short.BYTES -> objects.setShort(object, offset, (short) value);
            default -> objects.setByte(object, offset, (byte) value);
        }
    }
}
