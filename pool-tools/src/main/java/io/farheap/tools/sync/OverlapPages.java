package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.heap.UnusedSpace;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Where two copies of a range differ, page by page, in bytes that mean something. */
final class OverlapPages {
    private static final long PAGE = PagePairs.PAGE;

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

    /** Is told of a pair of pages. */
    interface Pairs {
        void pair(long imageOffset, long hash);
    }

    /**
     * Tells of the pairs of pages in a row that may prove that two copies lie in the same place:
     * all of both means something, each of them is more than one word again and again, and they
     * differ. What is the same in each page, as in a large array, would be common in other places,
     * too. Where the heap's metadata is damaged nothing is told.
     *
     * @param common bytes that both have, at image offset {@code at}
     */
    void tellingPairs(long at, MemorySegment common, Pairs use) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(common.byteSize()).copyFrom(common);
            clearUnused(at, copy);
            long first = Math.ceilDiv(at, PAGE) * PAGE - at;
            for (long page = first; page + 2 * PAGE <= copy.byteSize(); page += PAGE) {
                MemorySegment one = copy.asSlice(page, PAGE);
                MemorySegment next = copy.asSlice(page + PAGE, PAGE);
                boolean allUsed =
                        common.asSlice(page, 2 * PAGE).mismatch(copy.asSlice(page, 2 * PAGE)) < 0;
                if (allUsed && isVaried(one) && isVaried(next) && one.mismatch(next) >= 0) {
                    use.pair(at + page, PagePairs.hash(PagePairs.hash(one), PagePairs.hash(next)));
                }
            }
        } catch (FarheapException e) {
            if (e.category() != Category.BAD_DATA) {
                throw e;
            }
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
