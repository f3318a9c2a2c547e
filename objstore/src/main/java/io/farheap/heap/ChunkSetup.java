package io.farheap.heap;

import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.memory.PoolMemory;
import java.util.List;

/**
 * Makes blocks and runs out of free chunks, and finds free chunks when there are none: everything
 * that changes the medium without a log (docs/format.md#changes-of-chunks). One thread at a time;
 * the heap's lock is not held while stores are made.
 *
 * <p>A stretch of free chunks may consist of several FREE blocks on the medium (C: neighbours that
 * are not coalesced yet). At every crash point the blocks tile the zone: headers and footers are
 * written where they are inside a larger block first, and one last store makes them valid. The
 * footer at the stretch's end is its last block's, too: the new one leads into that block until
 * then, where libpmemobj finds no block of its list and merges nothing.
 */
final class ChunkSetup {
    /** Chunks of its own may have this many times the bytes of the object in them. */
    private static final int MAX_WASTE = 16;

    /** In one record of {@link #mendFooters}. */
    private static final int MOST_FOOTERS = 1024;

    /** Which units an object gets where those of its class are out. */
    enum Fit {
        /** None: somebody asked for the class. */
        NAMED,

        /** Those that are hardly larger, and any where most of the heap is free. */
        CLOSE,

        /** Any: the heap's owner needs it for itself, and can't do without. */
        ANY
    }

    private final HeapMap map;
    private final PoolMemory memory;
    private final HeapStores stores;
    private final HeapExtension extension;
    private final StoreList list = new StoreList();

    ChunkSetup(HeapMap map, HeapStores stores, HeapExtension extension) {
        this.map = map;
        this.memory = map.memory;
        this.stores = stores;
        this.extension = extension;
    }

    /** Stores one word of the descriptor that no log covers. */
    synchronized void store(long offset, long value) {
        list.clear();
        list.add(offset, value);
        stores.submit(list);
    }

    /**
     * Writes the footers that contradict their blocks: earlier versions wrote them to one replica
     * only, and libpmemobj does not flush them.
     */
    synchronized void mendFooters() {
        for (HeapZone zone : map.zones) {
            list.clear();
            BlockCursor blocks = new BlockCursor(memory, zone.offset, zone.chunks());
            while (blocks.advance()) {
                if (blocks.type() != ChunkHeader.RUN) {
                    footer(zone, blocks.chunk(), blocks.chunks());
                }
                if (list.size() == MOST_FOOTERS) {
                    stores.submit(list);
                    list.clear();
                }
            }
            if (list.size() > 0) {
                stores.submit(list);
            }
        }
    }

    /** Makes the heap larger, as {@link HeapExtension#extend} says. */
    synchronized void extend(long bytes) {
        extension.extend(bytes);
    }

    /**
     * Reserves an object for which no run has room, setting up what it needs. Where that has no
     * room either, and nobody asked for the class, runs of other classes have it: a heap with some
     * large objects of many sizes consists of runs that are nearly empty.
     *
     * @throws io.farheap.base.FarheapException ENVIRONMENT when the pool has no room
     */
    synchronized void obtain(
            AllocationClass wanted, Fit fit, long size, HeapArena arena, Place out) {
        boolean inRun = !wanted.huge();
        int units = inRun ? (int) wanted.unitsFor(size) : 0;
        while (true) {
            int chunks = inRun ? wanted.chunks() : chunksFor(size);
            if (inRun && arena.take(memory, wanted, units, out)) {
                return;
            }
            if (inRun && bringRun(wanted, units, false, arena)) {
                continue;
            }
            long stretch = take(chunks, map.chunksForLogs());
            if (stretch != FreeChunks.NONE && inRun) {
                makeRun(stretch, wanted, arena);
            } else if (stretch != FreeChunks.NONE) {
                makeBlock(stretch, chunks, out);
                return;
            } else if (!findMore(chunks) && !(inRun && bringRun(wanted, units, true, arena))) {
                if (inRun && fit != Fit.NAMED && mayHaveOwnChunks(size)) {
                    inRun = false;
                } else if (fit == Fit.NAMED || wanted.huge()) {
                    throw exhausted(size, false);
                } else if (takeOfOtherClass(size, fit, arena, out)) {
                    return;
                } else {
                    throw exhausted(size, hasPlaceOfLarger(size));
                }
            }
        }
    }

    /**
     * Reserves memory for a log in a full heap: one chunk, also of those that nothing else may
     * take, or else free neighbours in a run of any class.
     *
     * @throws io.farheap.base.FarheapException ENVIRONMENT when there is neither
     */
    synchronized void obtainForLog(long size, HeapArena arena, Place out) {
        long stretch = FreeChunks.NONE;
        boolean more = size <= HeapLayout.CHUNK_BYTES - ObjectHeader.COMPACT_BYTES;
        while (stretch == FreeChunks.NONE && more) {
            stretch = take(1, 0);
            more = stretch == FreeChunks.NONE && findMore(1);
        }
        if (stretch != FreeChunks.NONE) {
            makeBlock(stretch, 1, out);
        } else if (!takeOfAnyClass(size, Long.MAX_VALUE, arena, out)) {
            throw exhausted(size, false);
        }
    }

    /**
     * @param most bytes that it may take
     */
    private boolean takeOfAnyClass(long size, long most, HeapArena arena, Place out) {
        AllocationClasses classes = map.classes();
        for (int id = 1; id <= AllocationClass.MAX_ID; id++) {
            AllocationClass any = classes.find(id);
            if (any != null
                    && any.serves(size)
                    && any.headerType() == HeaderType.COMPACT
                    && any.unitsFor(size) * any.unit() <= most) {
                int units = (int) any.unitsFor(size);
                do {
                    if (arena.take(memory, any, units, out)) {
                        return true;
                    }
                } while (bringRun(any, units, true, arena));
            }
        }
        return false;
    }

    /** Takes a stretch that has so many chunks, if at least {@code left} are free afterwards. */
    private long take(int chunks, int left) {
        synchronized (map.lock) {
            return map.free.total() - chunks < left
                    ? FreeChunks.NONE
                    : map.free.takeBestFit(map.zones, chunks);
        }
    }

    /**
     * Brings a run that may have room to the arena: one that nobody uses since it was found at
     * open, or one that another arena can spare.
     *
     * @param evenTheLast whether to take also what another arena will miss
     */
    private boolean bringRun(AllocationClass wanted, int units, boolean evenTheLast, HeapArena to) {
        HeapRun run = map.arenas.unassigned.giveAway(wanted, units, true, to);
        HeapArena[] others = map.arenas.all();
        for (int i = 0; run == null && i < others.length; i++) {
            if (others[i] != to) {
                run = others[i].giveAway(wanted, units, evenTheLast, to);
            }
        }
        if (run != null) {
            to.add(run);
        }
        return run != null;
    }

    /**
     * Makes a class.
     *
     * @param id -1: the first that is free
     * @throws io.farheap.base.FarheapException WRONG_USE when there can't be such a class
     */
    synchronized AllocationClass addClass(
            int id, long unit, long alignment, int units, HeaderType headerType) {
        AllocationClass added = map.classes().custom(id, unit, alignment, units, headerType);
        map.addClass(added);
        return added;
    }

    /**
     * Takes from a run of another class what is hardly more than the object needs, and anything
     * where most of the heap is free: in a full one, small objects would take up the places of
     * large ones for good.
     */
    private boolean takeOfOtherClass(long size, Fit fit, HeapArena arena, Place out) {
        long need = size + ObjectHeader.COMPACT_BYTES;
        return takeOfAnyClass(size, need + Math.max(need / 4, 128), arena, out)
                || (fit == Fit.ANY || isMostlyFree())
                        && takeOfAnyClass(size, Long.MAX_VALUE, arena, out);
    }

    /**
     * Whether an object that was refused has been, to leave room for larger ones. It is only looked
     * for: a program that lives with refusals would take the last runs of other arenas each time.
     */
    private boolean hasPlaceOfLarger(long size) {
        AllocationClasses classes = map.classes();
        for (int id = 1; id <= AllocationClass.MAX_ID; id++) {
            AllocationClass any = classes.find(id);
            if (any != null && any.serves(size) && any.headerType() == HeaderType.COMPACT) {
                int units = (int) any.unitsFor(size);
                for (HeapArena arena : map.arenas.all()) {
                    if (arena.mayHave(any, units)) {
                        return true;
                    }
                }
                if (map.arenas.unassigned.mayHave(any, units)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isMostlyFree() {
        long inRuns = map.freeRunBytes();
        synchronized (map.lock) {
            return map.free.total() * HeapLayout.CHUNK_BYTES + inRuns > map.bytes() / 2;
        }
    }

    private static int chunksFor(long size) {
        return (int)
                ((size + ObjectHeader.COMPACT_BYTES + HeapLayout.CHUNK_BYTES - 1)
                        / HeapLayout.CHUNK_BYTES);
    }

    /**
     * Whether an object may have chunks of its own when no run for it fits: better than no object
     * at all. Classes from 16 KiB on want runs of 4 MiB, which a small pool soon has no room for; a
     * log extension is of such a class.
     */
    private static boolean mayHaveOwnChunks(long size) {
        return chunksFor(size) * HeapLayout.CHUNK_BYTES <= MAX_WASTE * size;
    }

    private RuntimeException exhausted(long size, boolean leavesPlaces) {
        long inRuns = map.freeRunBytes();
        synchronized (map.lock) {
            long kept = Math.min(map.chunksForLogs(), map.free.total()) * HeapLayout.CHUNK_BYTES;
            long all = map.free.total() * HeapLayout.CHUNK_BYTES;
            long largest = Math.min(all - kept, map.free.largest() * HeapLayout.CHUNK_BYTES);
            return HeapErrors.exhausted(
                    size,
                    Math.max(0, largest - ObjectHeader.COMPACT_BYTES),
                    all + inRuns,
                    kept,
                    map.bytes(),
                    leavesPlaces);
        }
    }

    private void makeBlock(long stretch, int chunks, Place out) {
        HeapZone zone = map.zones[FreeChunks.zone(stretch)];
        int start = FreeChunks.chunk(stretch);
        int rest = FreeChunks.chunks(stretch) - chunks;
        list.clear();
        boolean split = rest > 0 && !blockStarts(zone, start, start + chunks);
        if (split) {
            divide(zone, stretch, chunks, chunks + 1);
            footer(zone, start, chunks);
            list.barrier();
        }
        long header = free(ChunkHeader.COMPACT_HEADER, chunks);
        if (memory.getLong(zone.chunkHeader(start)) != header) {
            list.add(zone.chunkHeader(start), header);
        }
        if (!split) {
            list.barrier();
            footer(zone, start, chunks);
        }
        submit(stretch);
        synchronized (map.lock) {
            zone.putHuge(start, chunks);
            out.ofChunks(zone, start, chunks, ObjectHeader.COMPACT_BYTES);
            addFree(zone, start + chunks, rest);
        }
    }

    /**
     * Puts the header and footer of what is left into the block at the stretch's start, which has
     * that many chunks at least, or becomes the only one: what is written inside must hit no header
     * of another.
     */
    private void divide(HeapZone zone, long stretch, int chunks, int least) {
        int start = FreeChunks.chunk(stretch);
        int spanned = (int) ChunkHeader.sizeIdx(memory.getLong(zone.chunkHeader(start)));
        if (spanned < least) {
            spanned = FreeChunks.chunks(stretch);
            list.add(zone.chunkHeader(start), free(0, spanned));
            list.barrier();
        }
        if (spanned > chunks) {
            list.add(zone.chunkHeader(start + chunks), free(0, spanned - chunks));
            footer(zone, start + chunks, spanned - chunks);
        }
    }

    private void makeRun(long stretch, AllocationClass wanted, HeapArena arena) {
        HeapZone zone = map.zones[FreeChunks.zone(stretch)];
        int start = FreeChunks.chunk(stretch);
        int chunks = wanted.chunks();
        int rest = FreeChunks.chunks(stretch) - chunks;
        RunGeometry geometry = wanted.runAt(zone.chunkOffset(start));
        list.clear();
        divide(zone, stretch, chunks, chunks);
        addRunHeader(list, geometry);
        for (int k = 1; k < chunks; k++) {
            list.add(zone.chunkHeader(start + k), ChunkHeader.word(ChunkHeader.RUN_DATA, 0, k));
        }
        list.barrier();
        list.add(
                zone.chunkHeader(start),
                ChunkHeader.word(ChunkHeader.RUN, wanted.runFlags(), chunks));
        submit(stretch);
        HeapRun run = new HeapRun(zone, start, geometry, wanted, arena);
        run.count(memory);
        run.load(memory);
        synchronized (map.lock) {
            zone.putRun(run);
            addFree(zone, start + chunks, rest);
        }
        arena.add(run);
    }

    /**
     * Header and bitmap of a run without objects: bits that stand for no unit are set. The last
     * word has none where the units are a multiple of 64 (the C library gets that wrong).
     */
    static void addRunHeader(StoreList list, RunGeometry run) {
        list.add(run.runOffset, run.unit);
        list.add(run.runOffset + RunGeometry.ALIGNMENT, run.alignment);
        for (int word = 0; word < run.bitmapBytes / Long.BYTES; word++) {
            long bits = word < run.words ? 0 : -1L;
            list.add(run.bitmapWord(word), word == run.words - 1 ? run.tail(word) : bits);
        }
    }

    /** Whether a block on the medium starts at {@code chunk}, going from one that does. */
    private boolean blockStarts(HeapZone zone, int from, int chunk) {
        long at = from;
        while (at < chunk) {
            long header = zone.chunkHeader((int) at);
            long size = ChunkHeader.sizeIdx(memory.getLong(header));
            if (size == 0) {
                throw HeapErrors.bad(header, "heap: a free block has no chunks");
            }
            at += size;
        }
        return at == chunk;
    }

    private static long free(int flags, int chunks) {
        return ChunkHeader.word(ChunkHeader.FREE, flags, chunks);
    }

    /** Adds the footer of a block, where it is not there already. */
    private void footer(HeapZone zone, int chunk, int chunks) {
        long last = zone.chunkHeader(chunk + chunks - 1);
        if (chunks > 1 && !ChunkHeader.isFooter(memory.getLong(last), chunks)) {
            list.add(last, ChunkHeader.footer(chunks));
        }
    }

    private void addFree(HeapZone zone, int chunk, int chunks) {
        if (chunks > 0) {
            map.free.add(zone, chunk, chunks);
        }
    }

    /** Submits the list; if that fails, the stretch it was for is free as before. */
    private void submit(long stretch) {
        boolean done = false;
        try {
            if (list.size() > 0) {
                stores.submit(list);
            }
            done = true;
        } finally {
            if (!done) {
                synchronized (map.lock) {
                    map.free.add(
                            map.zones[FreeChunks.zone(stretch)],
                            FreeChunks.chunk(stretch),
                            FreeChunks.chunks(stretch));
                }
            }
        }
    }

    /** Finds more memory, in the cheapest way; false: there is none. */
    private boolean findMore(int chunks) {
        return visitZone() || dissolveEmptyRuns() || growZone() || extension.whenFull(chunks);
    }

    private boolean visitZone() {
        for (HeapZone zone : map.zones) {
            if (zone.chunks() > 0 && !zone.visited()) {
                map.visit(zone);
                return true;
            }
        }
        return false;
    }

    private boolean dissolveEmptyRuns() {
        List<HeapRun> empty = map.retireEmptyRuns();
        if (empty.isEmpty()) {
            return false;
        }
        list.clear();
        for (HeapRun run : empty) {
            list.add(run.zone.chunkHeader(run.chunk), free(0, run.geometry.chunks));
        }
        // Until then its last chunk leads back to its second one, which is no block.
        list.barrier();
        for (HeapRun run : empty) {
            footer(run.zone, run.chunk, run.geometry.chunks);
        }
        boolean done = false;
        try {
            stores.submit(list);
            done = true;
        } finally {
            if (!done) {
                empty.forEach(run -> run.arena.takeBack(run));
            }
        }
        synchronized (map.lock) {
            for (HeapRun run : empty) {
                run.zone.removeRun(run);
                run.arena.forget(run);
                map.free.add(run.zone, run.chunk, run.geometry.chunks);
            }
        }
        return true;
    }

    /** Initialises the next zone, or takes in chunks that a zone got when the heap grew. */
    private boolean growZone() {
        for (HeapZone zone : map.zones) {
            int old = zone.chunks();
            int more = zone.possibleChunks() - old;
            if (more > 0) {
                list.clear();
                list.add(zone.chunkHeader(old), free(0, more));
                footer(zone, old, more);
                if (old == 0) {
                    for (long at = Long.BYTES; at < HeapLayout.ZONE_HEADER_BYTES; at += 8) {
                        list.add(zone.offset + at, 0);
                    }
                }
                list.barrier();
                list.add(zone.offset, HeapLayout.zoneWord(zone.possibleChunks()));
                stores.submit(list);
                synchronized (map.lock) {
                    if (old == 0) {
                        zone.makeTables();
                    }
                    zone.setVisited();
                    zone.setChunks(zone.possibleChunks());
                    map.free.add(zone, old, more);
                }
                return true;
            }
        }
        return false;
    }
}
