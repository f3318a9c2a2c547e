package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.heap.UnusedSpace;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Where two copies of a range differ, page by page, in bytes that mean something. */
final class OverlapPages {
    private static final long PAGE = 4096;

    /**
     * Pages, by their image offsets.
     *
     * @param end behind the last of them
     */
    record Range(long offset, long end) {}

    private final UnusedSpace unused;

    /**
     * @param memory whose heap tells what means nothing; null: all counts
     */
    OverlapPages(PoolMemory memory) {
        this.unused = memory == null ? null : new UnusedSpace(memory, (offset, copy, length) -> {});
    }

    /**
     * The first pages in a row that differ; null: none does.
     *
     * @param at the image offset of both
     */
    Range firstDifference(long at, MemorySegment one, MemorySegment other) {
        if (one.mismatch(other) < 0) {
            return null;
        }
        try (Arena arena = Arena.ofConfined()) {
            long length = one.byteSize();
            MemorySegment first = arena.allocate(length).copyFrom(one);
            MemorySegment second = arena.allocate(length).copyFrom(other);
            clearUnused(at, first);
            clearUnused(at, second);
            long differs = first.mismatch(second);
            return differs < 0 ? null : pages(at, first, second, at + differs);
        }
    }

    /**
     * Whether bytes that two copies have in common prove that both lie in the same place: two pages
     * in a row mean something, each of them more than one word again and again, and differ. What is
     * the same in each page, as in a large array, would be common in other places, too. Where the
     * heap's metadata is damaged nothing is proven.
     */
    boolean proveThePlace(long at, MemorySegment common) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(common.byteSize()).copyFrom(common);
            clearUnused(at, copy);
            for (long page = 0; page + 2 * PAGE <= copy.byteSize(); page += PAGE) {
                MemorySegment one = copy.asSlice(page, PAGE);
                MemorySegment next = copy.asSlice(page + PAGE, PAGE);
                if (isVaried(one) && isVaried(next) && one.mismatch(next) >= 0) {
                    return true;
                }
            }
            return false;
        } catch (FarheapException e) {
            if (e.category() != Category.BAD_DATA) {
                throw e;
            }
            return false;
        }
    }

    private static boolean isVaried(MemorySegment page) {
        long rest = PAGE - Long.BYTES;
        return page.asSlice(Long.BYTES, rest).mismatch(page.asSlice(0, rest)) >= 0;
    }

    private void clearUnused(long at, MemorySegment copy) {
        if (unused == null) {
            return;
        }
        long length = copy.byteSize();
        try {
            unused.each(
                    at,
                    length,
                    (from, to) -> {
                        long begin = Math.max(from, at) - at;
                        long end = Math.min(to, at + length) - at;
                        if (begin < end) {
                            copy.asSlice(begin, end - begin).fill((byte) 0);
                        }
                    });
        } catch (FarheapException e) {
            if (e.category() != Category.BAD_DATA) {
                throw e;
            }
            throw FarheapException.badData(
                    e,
                    "cannot restore: replicas differ near image byte %s, and what they have together"
                            + " is damaged, so that nothing tells whether that matters; nothing was"
                            + " changed",
                    at);
        }
    }

    private static Range pages(long at, MemorySegment one, MemorySegment other, long differs) {
        long length = one.byteSize();
        long begin = differs & -PAGE;
        long end = begin + PAGE;
        while (end < at + length
                && MemorySegment.mismatch(
                                one,
                                end - at,
                                Math.min(end + PAGE - at, length),
                                other,
                                end - at,
                                Math.min(end + PAGE - at, length))
                        >= 0) {
            end += PAGE;
        }
        return new Range(begin, end);
    }
}
