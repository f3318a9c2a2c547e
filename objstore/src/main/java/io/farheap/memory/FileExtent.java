package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Bytes of a file that lie in one piece on the block device of its file system. Layout: Linux,
 * {@code struct fiemap} of include/uapi/linux/fiemap.h.
 *
 * @param offset in the file
 * @param place on the device
 * @param length in bytes
 */
public record FileExtent(long offset, long place, long length) {
    private static final long START = 0;
    private static final long LENGTH = 8;
    private static final long MAPPED = 20;
    private static final long ROOM = 24;
    private static final long HEADER_BYTES = 32;

    private static final long LOGICAL = 0;
    private static final long PHYSICAL = 8;
    private static final long BYTES = 16;
    private static final long FLAGS = 40;
    private static final long EXTENT_BYTES = 56;

    private static final int LAST = 0x1;

    /** It is in memory only, and has no place yet. */
    private static final int DELAYED = 0x4;

    /** Its place is not known, or is not that of its bytes as they are read. */
    private static final int NO_PLACE = 0x2 | 0x8 | 0x80 | 0x100 | 0x200;

    private static final int AT_ONCE = 256;

    /**
     * All of a file that have a place on the device, ascending by their offsets.
     *
     * @throws FarheapException if the file system says no place for bytes that are on the device
     * @param kernel fills in a {@code struct fiemap}, as {@link SystemCalls#extents} does
     */
    static List<FileExtent> all(Consumer<MemorySegment> kernel) {
        List<FileExtent> found = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment map = arena.allocate(HEADER_BYTES + AT_ONCE * EXTENT_BYTES, Long.BYTES);
            long next = 0;
            while (next >= 0) {
                map.fill((byte) 0);
                map.set(ValueLayout.JAVA_LONG, START, next);
                map.set(ValueLayout.JAVA_LONG, LENGTH, Long.MAX_VALUE - next);
                map.set(ValueLayout.JAVA_INT, ROOM, AT_ONCE);
                kernel.accept(map);
                next = take(map, next, found);
            }
        }
        return found;
    }

    /** Where to go on; -1 at the end. */
    private static long take(MemorySegment map, long from, List<FileExtent> found) {
        int count = map.get(ValueLayout.JAVA_INT, MAPPED);
        long next = from;
        for (int i = 0; i < count; i++) {
            MemorySegment one = map.asSlice(HEADER_BYTES + i * EXTENT_BYTES, EXTENT_BYTES);
            long offset = one.get(ValueLayout.JAVA_LONG, LOGICAL);
            long length = one.get(ValueLayout.JAVA_LONG, BYTES);
            int flags = one.get(ValueLayout.JAVA_INT, FLAGS);
            if ((flags & DELAYED) == 0) {
                if ((flags & NO_PLACE) != 0) {
                    throw FarheapException.environment(
                            "the file system says no place for the bytes from offset %s on",
                            offset);
                }
                long place = one.get(ValueLayout.JAVA_LONG, PHYSICAL);
                found.add(new FileExtent(offset, place, length));
            }
            next = Math.max(next, offset + length);
            if ((flags & LAST) != 0) {
                return -1;
            }
        }
        return next > from ? next : -1;
    }
}
