package io.farheap.testing;

import io.farheap.base.FarheapException;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.function.BooleanSupplier;

/**
 * A file in the page cache of a kernel whose disk fails: a page that could not be written keeps its
 * content in memory and counts as written from then on, so that no later flush writes it unless it
 * was stored to again. Each process that maps the file has an end of its own ({@link #open}).
 */
@SuppressWarnings("exports") // for who tests Farheap itself, whose inner types these are
public final class ForgetfulPages {
    private static final int PAGE = 4096;

    private final MemorySegment cache;
    private final MemorySegment disk;

    /** What each page had when it last counted as written: stores past {@link PoolMemory}. */
    private final MemorySegment clean;

    private final BitSet dirty = new BitSet();
    private BooleanSupplier failing = () -> false;

    /**
     * @param content what both memory and the disk have
     */
    public ForgetfulPages(MemorySegment content) {
        cache = Arena.ofAuto().allocate(content.byteSize(), PAGE).copyFrom(content);
        disk = Arena.ofAuto().allocate(content.byteSize(), PAGE).copyFrom(content);
        clean = Arena.ofAuto().allocate(content.byteSize(), PAGE).copyFrom(content);
    }

    /** From now on nothing can be written. */
    public void fail() {
        failWhen(() -> true);
    }

    /** From now on everything can. */
    public void recover() {
        failWhen(() -> false);
    }

    /** Asked at each fence that has something to write. */
    public void failWhen(BooleanSupplier fails) {
        failing = fails;
    }

    /** The kernel takes back memory: of what counts as written it forgets the content, too. */
    public void evict() {
        for (long at = 0; at < cache.byteSize(); at += PAGE) {
            if (!dirty.get((int) (at / PAGE))) {
                copy(disk, cache, (int) (at / PAGE));
                copy(disk, clean, (int) (at / PAGE));
            }
        }
    }

    /** Pages that are to be written. */
    public int dirtyPages() {
        return dirty.cardinality();
    }

    /** What a power loss leaves. */
    public MemorySegment disk() {
        return disk;
    }

    /** A process maps it. */
    public PoolMemory open() {
        return new ObservedMemory(cache, new Mapping(), this::stored);
    }

    private static void copy(MemorySegment from, MemorySegment to, int page) {
        long at = (long) page * PAGE;
        MemorySegment.copy(from, at, to, at, Math.min(PAGE, from.byteSize() - at));
    }

    private boolean isChanged(int page) {
        long at = (long) page * PAGE;
        long end = Math.min(at + PAGE, cache.byteSize());
        return MemorySegment.mismatch(cache, at, end, clean, at, end) >= 0;
    }

    private void stored(long offset, long length) {
        dirty.set((int) (offset / PAGE), (int) ((offset + length + PAGE - 1) / PAGE));
    }

    /** One process's mapping, which never syncs again once that failed. */
    private final class Mapping implements Persistence {
        private final BitSet flushed = new BitSet();
        private boolean failed;

        @Override
        public void flush(long offset, long length) {
            flushed.set((int) (offset / PAGE), (int) ((offset + length + PAGE - 1) / PAGE));
        }

        @Override
        public void fence() {
            flushed.stream().filter(ForgetfulPages.this::isChanged).forEach(dirty::set);
            flushed.and(dirty);
            dirty.andNot(flushed);
            boolean written = flushed.isEmpty() || !failing.getAsBoolean();
            failed |= !written;
            if (written) {
                flushed.stream().forEach(page -> copy(cache, disk, page));
            }
            flushed.stream().forEach(page -> copy(cache, clean, page));
            flushed.clear();
            if (failed) {
                throw FarheapException.environment("msync: Input/output error");
            }
        }
    }
}
