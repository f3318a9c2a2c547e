package io.farheap.heap;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.FarheapException;
import io.farheap.base.HeapSpace;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.ulog.RedoOperations;
import java.util.Optional;

/**
 * The allocator of one pool: keeps, in DRAM, what of the heap is free, and says which word makes an
 * object allocated or free (docs/format.md#heap).
 *
 * <p>Allocation: {@link #reserve}, the content is written, the redo word of the {@link Reservation}
 * is applied with the transaction's redo log, {@link #published}; or {@link #cancel} before the
 * word is stored. Free: {@link #prepareFree}, the redo word of the {@link Freeing} is applied, and
 * when the commit is acknowledged {@link #freed}; or {@link #cancelFree}. Space is given out again
 * only after freed or cancel.
 *
 * <p>All offsets are image offsets of user data, all sizes bytes. Thread-safe. Reservations out of
 * its arena's runs, frees and queries allocate no Java objects and hold a short lock at most; only
 * a reservation that must set up chunks waits for {@link HeapStores}. A thread must not have a
 * record undecided in the replication stream when it calls reserve.
 */
public final class Heap {

    /** No object: what {@link #first} and {@link #next} return at the end. */
    public static final long NONE = 0;

    /** Object flag of the root object and of log extensions: skipped by {@link #next}. */
    public static final int INTERNAL = 0x8000;

    /**
     * With the object flags of a request, not stored: in a full heap a unit of any size will do.
     * For what can't be refused for the sake of larger objects: the root, a pool's own tables.
     */
    public static final int ANY_UNIT = 0x10000;

    /** The largest object that can be asked for: a whole zone less 64 bytes. */
    public static final long MAX_REQUEST = 0x3FFDFFFC0L;

    /** Of a class or arena: none in particular. */
    public static final int ANY = 0;

    private final PoolMemory memory;
    private final HeapMap map;
    private final ChunkSetup setup;
    private final HeapExtension extension;
    private volatile boolean countsBytes;
    private volatile Error torn;
    private final ObjectScan scan;
    private final ObjectLookup lookup;
    private SpaceListener listener = (from, to) -> {};
    private volatile int allocationPattern = -1;

    private Heap(HeapMap map, HeapStores stores, HeapGrowth growth) {
        this.memory = map.memory;
        this.map = map;
        extension = new HeapExtension(map, stores, growth);
        setup = new ChunkSetup(map, stores, extension);
        scan = new ObjectScan(map);
        lookup = new ObjectLookup(map);
    }

    /**
     * Opens the heap of a pool whose redo logs are recovered. Makes no store.
     *
     * @param heapOffset image offset of the heap header
     * @param heapSize bytes of the heap
     * @param stores how stores are made that no log covers
     * @throws io.farheap.base.FarheapException BAD_DATA, with the offset, when the heap is not
     *     valid (docs/format.md#consistency)
     */
    public static Heap boot(PoolMemory memory, long heapOffset, long heapSize, HeapStores stores) {
        return boot(memory, HeapShape.of(memory, heapOffset, heapSize), stores);
    }

    /**
     * As above, of a heap that was walked over already.
     *
     * @param shape what that found, and nothing was stored to the heap's headers since
     */
    public static Heap boot(PoolMemory memory, HeapShape shape, HeapStores stores) {
        return boot(memory, shape, stores, HeapGrowth.NONE, HeapSettings.defaults());
    }

    /** As above, of a pool that grows, and with settings of the program's. */
    public static Heap boot(
            PoolMemory memory,
            HeapShape shape,
            HeapStores stores,
            HeapGrowth growth,
            HeapSettings settings) {
        long reserved = Math.max(memory.size(), growth.mostBytes()) - shape.heapOffset();
        long most = Math.max(shape.heapSize(), reserved);
        return new Heap(new HeapMap(memory, shape, most, settings), stores, growth);
    }

    /**
     * Puts right what a crash may have left of the words by which libpmemobj finds the free block
     * before another one; durably, in every replica. Before the heap is used, once all that commits
     * go to is attached.
     */
    public void mendFooters() {
        setup.mendFooters();
    }

    /**
     * From now on keeps some free chunks, 0.2 % of all, for what {@link #reserveForLog} is asked
     * for: so a transaction can free objects, and change others, when nothing else has room.
     */
    public void keepForLogs() {
        map.keepForLogs();
    }

    /** Bytes of the image that the heap uses. */
    public long size() {
        return map.heapSize();
    }

    /** By how many bytes the heap grows when it is full; 0: it does not grow by itself. */
    public long granularity() {
        return extension.step();
    }

    /**
     * Says by how many bytes the heap grows when it is full, 128 MiB where nobody says.
     *
     * @param bytes 0 (not at all), or at least 2 MiB
     * @throws io.farheap.base.FarheapException WRONG_USE for any other number
     */
    public void setGranularity(long bytes) {
        extension.setStep(bytes);
    }

    /**
     * Makes the heap larger now, durably, in every replica: by what an interrupted growth has left,
     * else by so many bytes, or by what is left of the reservation when that is less.
     *
     * @param bytes at least 2 MiB
     * @throws io.farheap.base.FarheapException WRONG_USE for fewer, and for a pool that is not made
     *     of directories; ENVIRONMENT when nothing is left to grow into, or the medium is full
     */
    public void extend(long bytes) {
        try {
            setup.extend(bytes);
        } catch (Error cut) {
            torn = cut;
            throw cut;
        }
    }

    /**
     * The error that ended a change of what this keeps in memory half done; null: none did. The
     * medium is not concerned, but nothing more may be allocated or freed.
     */
    public Error torn() {
        return torn;
    }

    /** As {@link #reserve(long, long, int, int, int, Reservation)}, of any class and arena. */
    void reserve(long size, long typeNumber, int objectFlags, Reservation out) {
        reserve(size, typeNumber, objectFlags, ANY, ANY, out);
    }

    /** Names who is told of space that will be given out again; once, before the heap is used. */
    public void onGivingBack(SpaceListener newListener) {
        listener = newListener;
    }

    /**
     * Reserves an object and writes its header. Its content is undefined, or every byte of it what
     * {@link #setAllocationPattern} says. Nothing is flushed: who publishes it flushes header and
     * content together ({@link Reservation#realOffset}), with one write-back of the line that has
     * both.
     *
     * @param size usable bytes wanted, 1 to {@link #MAX_REQUEST}
     * @param typeNumber the object's type number; of a class without headers it is lost
     * @param objectFlags 0 or {@link #INTERNAL}, and {@link #ANY_UNIT}
     * @param classId the allocation class, or {@link #ANY}: the one that fits best
     * @param arenaId the arena to allocate from, or {@link #ANY}: the calling thread's
     * @param out is filled; must not hold an open reservation
     * @throws io.farheap.base.FarheapException ENVIRONMENT when the pool has no room; WRONG_USE for
     *     a size that no pool or not this class can hold, and when there is no such class or arena
     */
    public void reserve(
            long size,
            long typeNumber,
            int objectFlags,
            int classId,
            int arenaId,
            Reservation out) {
        if (size < 1 || size > MAX_REQUEST) {
            throw HeapErrors.impossibleSize(size);
        }
        requireClosed(out.place());
        try {
            reserveIn(classId, arenaId, size, typeNumber, objectFlags, out);
        } catch (Error cut) {
            torn = cut;
            throw cut;
        }
    }

    /**
     * As {@link #reserve(long, long, int, Reservation)}, an internal object of at least {@code
     * size} bytes, also out of what {@link #keepForLogs} keeps, and of the gaps between others.
     *
     * @throws io.farheap.base.FarheapException ENVIRONMENT when nothing of that is left
     */
    void reserveForLog(long size, Reservation out) {
        requireClosed(out.place());
        try {
            setup.obtainForLog(size, map.arenas.ofThread(), out.place());
            finish(out, 0, INTERNAL);
        } catch (Error cut) {
            torn = cut;
            throw cut;
        }
    }

    private void reserveIn(
            int classId,
            int arenaId,
            long size,
            long typeNumber,
            int objectFlags,
            Reservation out) {
        Place place = out.place();
        AllocationClasses classes = map.classes();
        AllocationClass wanted =
                classId == ANY ? classes.classFor(size) : classes.explicit(classId, size);
        HeapArena arena = arenaId == ANY ? map.arenas.ofThread() : map.arenas.get(arenaId);
        boolean found =
                !wanted.huge() && arena.take(memory, wanted, (int) wanted.unitsFor(size), place);
        if (!found) {
            setup.obtain(wanted, fit(classId, objectFlags), size, arena, place);
        }
        finish(out, typeNumber, objectFlags & ~ANY_UNIT);
    }

    private static ChunkSetup.Fit fit(int classId, int objectFlags) {
        if (classId != ANY) {
            return ChunkSetup.Fit.NAMED;
        }
        return (objectFlags & ANY_UNIT) != 0 ? ChunkSetup.Fit.ANY : ChunkSetup.Fit.CLOSE;
    }

    private void finish(Reservation out, long typeNumber, int objectFlags) {
        Place place = out.place();
        if (place.run != null) {
            out.word(RedoOperations.Kind.OR, place.bitmapWord(), place.mask());
        } else {
            out.word(
                    RedoOperations.Kind.SET,
                    place.zone.chunkHeader(place.index),
                    ChunkHeader.word(ChunkHeader.USED, ChunkHeader.COMPACT_HEADER, place.count));
        }
        writeHeader(place, typeNumber, objectFlags);
    }

    private void writeHeader(Place place, long typeNumber, int objectFlags) {
        boolean written = false;
        try {
            ObjectHeader.write(
                    memory,
                    place.headerSize,
                    place.realOffset,
                    place.realSize,
                    typeNumber,
                    objectFlags);
            int pattern = allocationPattern;
            if (pattern >= 0 && (objectFlags & INTERNAL) == 0) {
                memory.fill(place.userOffset(), place.realSize - place.headerSize, (byte) pattern);
            }
            written = true;
        } finally {
            if (!written) {
                giveBack(place);
            }
        }
    }

    /** Writes a reservation's header back whose content somebody else flushes. No fence. */
    void flushHeader(Reservation reservation) {
        long header = reservation.realOffset();
        memory.flush(header, reservation.userOffset() - header);
    }

    /**
     * The class with this id, empty when there is none.
     *
     * @throws io.farheap.base.FarheapException WRONG_USE for an id that no class can have
     */
    public Optional<AllocationClassDescriptor> allocationClass(int id) {
        if (id < 0 || id > AllocationClass.MAX_ID) {
            throw HeapErrors.impossibleClass(id);
        }
        AllocationClass found = map.classes().find(id);
        return found == null ? Optional.empty() : Optional.of(found.descriptor());
    }

    /**
     * Makes an allocation class (docs/format.md#allocation-classes) until the heap is closed; what
     * there is of its runs is used again.
     *
     * @param id -1: the first that is free
     * @param units of a run, about
     * @throws io.farheap.base.FarheapException WRONG_USE when there can't be such a class, or its
     *     id is in use
     */
    public AllocationClassDescriptor newAllocationClass(
            int id, long unit, long alignment, int units, HeaderType headerType) {
        return setup.addClass(id, unit, alignment, units, headerType).descriptor();
    }

    /** The arenas of this heap. */
    public HeapArenas arenas() {
        return map.arenas;
    }

    /**
     * What every byte of a new object is set to before its user gets it: for finding uses of
     * uninitialised memory.
     *
     * @param pattern the low 8 bits are the byte; below 0: nothing is set
     */
    public void setAllocationPattern(int pattern) {
        allocationPattern = pattern;
    }

    /** See {@link #setAllocationPattern}; below 0 when nothing is set. */
    public int allocationPattern() {
        return allocationPattern;
    }

    /** Begins to look for better places of objects, as things are now. */
    public Compaction compaction() {
        return new Compaction(map);
    }

    /**
     * Says whether the descriptor's count of allocated bytes is kept (docs/format.md#statistics):
     * plain stores without a log, as libpmemobj makes them.
     */
    public void countAllocatedBytes(boolean counted) {
        countsBytes = counted;
    }

    /** The descriptor's count: bytes of objects, headers included, while it was kept. */
    public long allocatedBytes() {
        return memory.getLongAcquire(Descriptor.CURR_ALLOCATED);
    }

    /**
     * Makes the count durable, in every replica; nothing where it is not kept.
     *
     * @throws RuntimeException when a replica is missing: only the replicas' count is old then
     */
    public void storeAllocatedBytes() {
        if (countsBytes) {
            setup.store(Descriptor.CURR_ALLOCATED, allocatedBytes());
        }
    }

    private void count(long bytes) {
        if (countsBytes) {
            memory.addLong(Descriptor.CURR_ALLOCATED, bytes);
        }
    }

    /**
     * How full it is: reads what was not visited yet, so the first call may take time.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when a run's header can't be right
     */
    public HeapSpace space() {
        return SpaceCount.of(map, cut -> torn = cut);
    }

    /** Bytes of all runs, free units included, as far as the heap was visited. */
    public long runBytes() {
        return map.runBytes();
    }

    /** Bytes of the units of runs that are in use, as far as the heap was visited. */
    public long runBytesInUse() {
        return map.runBytesInUse();
    }

    /** Gives a reservation up whose word was not stored. */
    public void cancel(Reservation reservation) {
        giveBackOpen(reservation.place());
    }

    /** The reservation's word is applied and durable: the object is allocated. */
    public void published(Reservation reservation) {
        requireOpen(reservation.place());
        count(reservation.realSize());
        reservation.place().close();
    }

    /**
     * Begins to free an object. From now on {@link #isAllocated} denies it and a second free is
     * refused, until {@link #cancelFree}.
     *
     * @param out is filled; must not hold an open free
     * @throws io.farheap.base.FarheapException WRONG_USE when no published object starts there
     */
    public void prepareFree(long userOffset, Freeing out) {
        prepareFree(userOffset, true, out);
    }

    /**
     * As {@link #prepareFree(long, Freeing)}.
     *
     * @param internal whether an internal object may be freed, too; else it is refused, WRONG_USE.
     *     It costs less here than by {@link #isInternal} before, which looks the object up again
     */
    public void prepareFree(long userOffset, boolean internal, Freeing out) {
        requireClosed(out.place());
        try {
            hide(userOffset, internal, out);
        } catch (Error cut) {
            torn = cut;
            throw cut;
        }
    }

    private void hide(long userOffset, boolean internal, Freeing out) {
        HeapZone zone = map.zoneOf(userOffset);
        if (zone == null) {
            throw HeapErrors.notAnObject(userOffset);
        }
        int chunk = HeapMap.chunkOf(zone, userOffset);
        HeapRun run = zone.runAt(chunk);
        if (run != null) {
            prepareFreeInRun(run, userOffset, internal, out);
            return;
        }
        synchronized (map.lock) {
            prepareFreeOfChunks(zone, chunk, userOffset, internal, out);
        }
    }

    private void prepareFreeInRun(HeapRun run, long userOffset, boolean internal, Freeing out) {
        int unit = lookup.objectUnit(run, userOffset);
        if (unit < 0) {
            throw HeapErrors.notAnObject(userOffset);
        }
        Place place = out.place();
        while (!run.arena.hide(run, memory, unit, internal, place)) {
            Thread.onSpinWait();
        }
        out.word(RedoOperations.Kind.AND, place.bitmapWord(), ~place.mask());
    }

    private void prepareFreeOfChunks(
            HeapZone zone, int chunk, long userOffset, boolean internal, Freeing out) {
        long header = memory.getLongAcquire(zone.chunkHeader(chunk));
        if (!lookup.hugeStarts(zone, chunk, userOffset)
                || ChunkHeader.type(header) != ChunkHeader.USED) {
            throw HeapErrors.notAnObject(userOffset);
        }
        int flags = ChunkHeader.flags(header);
        if (!internal
                && isInternal(
                        memory,
                        userOffset - ObjectHeader.bytes(flags),
                        ObjectHeader.bytes(flags))) {
            throw HeapErrors.internal(userOffset);
        }
        int chunks = zone.hugeAt(chunk);
        out.place().ofChunks(zone, chunk, chunks, ObjectHeader.bytes(flags));
        zone.putHuge(chunk, -chunks);
        out.word(
                RedoOperations.Kind.SET,
                zone.chunkHeader(chunk),
                ChunkHeader.word(ChunkHeader.FREE, flags, chunks));
    }

    /** The free's word is durable and the commit acknowledged: the space may be used again. */
    public void freed(Freeing freeing) {
        requireOpen(freeing.place());
        count(-freeing.place().realSize);
        giveBackOpen(freeing.place());
    }

    /** The free's word was not stored: the object stays. */
    public void cancelFree(Freeing freeing) {
        requireOpen(freeing.place());
        try {
            show(freeing.place());
        } catch (Error cut) {
            torn = cut;
            throw cut;
        }
    }

    private void show(Place place) {
        HeapRun run = place.run;
        if (run == null) {
            synchronized (map.lock) {
                place.zone.putHuge(place.index, place.count);
            }
        } else {
            while (!run.arena.show(run, place.index)) {
                Thread.onSpinWait();
            }
        }
        place.close();
    }

    private void giveBackOpen(Place place) {
        requireOpen(place);
        try {
            giveBack(place);
        } catch (Error cut) {
            torn = cut;
            throw cut;
        }
    }

    private void giveBack(Place place) {
        listener.givingBack(place.realOffset, place.realOffset + place.realSize);
        map.release(place);
        place.close();
    }

    /**
     * Whether an object starts there: reserved or published, and no free of it has begun. Any
     * number may be asked; takes no lock after the first use of its part of the heap.
     */
    public boolean isAllocated(long userOffset) {
        return lookup.isAllocated(userOffset);
    }

    /** Whether an object that commits made starts there, and no free of it has begun. */
    public boolean isPublished(long userOffset) {
        return lookup.isPublished(userOffset);
    }

    /**
     * Usable bytes of an object.
     *
     * @throws io.farheap.base.FarheapException WRONG_USE when not {@link #isAllocated}
     */
    public long usableSize(long userOffset) {
        return lookup.usableSize(userOffset);
    }

    /**
     * Whether a range lies in the first unit of an object in a run: known without its header, and
     * with few instructions. Where it says no, {@link #torn} and {@link #usableSize} tell.
     */
    public boolean isInFirstUnit(long userOffset, long offset, long length) {
        HeapRun run = torn == null ? map.loadedRunOf(userOffset) : null;
        return run != null
                && (offset | length) >= 0
                && offset <= run.geometry.bytesOfOne() - length
                && run.startsObjectOf(userOffset);
    }

    /**
     * The type number of an object.
     *
     * @throws io.farheap.base.FarheapException WRONG_USE when not {@link #isAllocated}
     */
    public long typeNumber(long userOffset) {
        return lookup.typeNumber(userOffset);
    }

    /** Whether an object is there that has this type number; it may go at any time. */
    public boolean isOfType(long userOffset, long typeNumber) {
        return lookup.isOfType(userOffset, typeNumber);
    }

    /** Whether an object is there that is internal: the root or a log extension. */
    public boolean isInternal(long userOffset) {
        return lookup.isInternal(userOffset);
    }

    static boolean isInternal(PoolMemory memory, long object, int header) {
        return (ObjectHeader.flags(memory, object, header) & INTERNAL) != 0;
    }

    /** Refuses an internal object to a program that wants to free it. */
    public void refuseInternal(long userOffset) {
        if (isInternal(userOffset)) {
            throw HeapErrors.internal(userOffset);
        }
    }

    /** Whether all of a range lies in the chunks of one zone. */
    boolean isInChunks(long offset, long length) {
        HeapZone zone = map.zoneOf(offset);
        return zone != null
                && length >= 0
                && HeapMap.chunkOf(zone, offset + Math.max(0, length - 1)) >= 0;
    }

    /**
     * The first published object that is not internal, in the order of offsets, or {@link #NONE}.
     */
    public long first() {
        return scan.first(false);
    }

    /**
     * The published, not internal object after {@code userOffset} in the order of offsets, or
     * {@link #NONE}. The object at userOffset may have been freed in the meantime.
     */
    public long next(long userOffset) {
        return scan.next(userOffset, false);
    }

    /** The first published internal object, or {@link #NONE}. */
    long firstInternal() {
        return scan.first(true);
    }

    /** As {@link #next}, of internal objects. */
    long nextInternal(long userOffset) {
        return scan.next(userOffset, true);
    }

    private static void requireOpen(Place place) {
        if (!place.open()) {
            throw FarheapException.wrongUse(
                    "this reservation or free was already ended or never begun: end each"
                            + " once");
        }
    }

    private static void requireClosed(Place place) {
        if (place.open()) {
            throw FarheapException.wrongUse(
                    "this reservation or free is still open: end it before it is used again");
        }
    }
}
