package io.farheap.memory;

import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Ranges of files laid one behind the other into one range of memory: the image of one replica, or
 * any file whose stores must be durable.
 *
 * <p>One address range is reserved for all of it, then each file is mapped into its place, so an
 * object may cross the border of two parts and a part may be of any size. More may be reserved than
 * is mapped: {@link #append} maps files behind those that are there. The {@link #persistence} uses
 * bare addresses: {@link #close} must not be called before every user has stopped. Loads and stores
 * through {@link #segment} after it throw {@link IllegalStateException}.
 */
public final class MappedImage implements AutoCloseable {
    private static final ScopedValue<PersistenceDomain> COUNTED_AS = ScopedValue.newInstance();
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    static final long PAGE = 4096;
    private static final long MOST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long POLL_NANOS = 50_000;

    /** How stores relate to the files. */
    public enum Access {
        /** Stores reach the files. */
        SHARED,
        /** Copy on write: stores stay in this process, the files are never changed. */
        PRIVATE,
        /** Copy on write, and a disk journal brings what is made durable to the files. */
        JOURNALED,
        /** What another process stores is seen; a store here is a fault of the program. */
        READ_ONLY
    }

    /**
     * One file's share.
     *
     * @param file open, and kept open by its owner while mapped
     * @param offset where the share starts in the file, a multiple of 4096
     * @param length its bytes, a multiple of 4096, above 0, inside the file
     */
    public record Share(NativeFile file, long offset, long length) {
        public Share {
            if (offset < 0 || length <= 0 || ((offset | length) & (PAGE - 1)) != 0) {
                throw new IllegalArgumentException(
                        "share of " + file.path() + ": " + length + " bytes from " + offset);
            }
        }
    }

    private final String place;
    private final long address;
    private final long reserved;
    private final boolean synchronous;
    private final boolean device;
    private final Access access;
    private final Arena arena = Arena.ofShared();
    private final PersistenceDomain domain;
    private final Persistence persistence;

    private final SyncMappings mappings;
    private final ImageFaults faults;

    private volatile MemorySegment segment;
    private volatile boolean open = true;

    MappedImage(
            List<Share> shares,
            long address,
            long reserved,
            Access access,
            boolean synchronous,
            boolean device) {
        this.place = shares.get(0).file().path().toString();
        this.mappings = new SyncMappings(shares, reserved);
        this.address = address;
        this.reserved = reserved;
        this.synchronous = synchronous;
        this.device = device;
        this.faults = new ImageFaults(place, mappings, device);
        this.access = access;
        MemorySegment mapped =
                MemorySegment.ofAddress(address).reinterpret(length(shares), arena, null);
        this.segment = access == Access.READ_ONLY ? mapped.asReadOnly() : mapped;
        this.domain =
                access == Access.JOURNALED ? PersistenceDomain.JOURNAL : domainOf(synchronous);
        this.persistence = access == Access.SHARED ? persistence(domain) : new NoPersistence();
    }

    private static long length(List<Share> shares) {
        return shares.stream().mapToLong(Share::length).sum();
    }

    /**
     * Maps files that count as {@code domain}, whatever they are and the environment says: what is
     * mapped by this call, and no other.
     */
    public static <T> T countingAs(PersistenceDomain domain, Supplier<T> mapping) {
        return ScopedValue.where(COUNTED_AS, domain).call(mapping::get);
    }

    static PersistenceDomain domainOf(boolean synchronous) {
        if (PortablePersistence.isUsed()) {
            return PersistenceDomain.PAGE_CACHE; // stores alone may reach no file
        }
        if (COUNTED_AS.isBound()) {
            return COUNTED_AS.get();
        }
        // Loading libpmem takes a while, and it is of no use to files in the page cache.
        boolean autoFlush = synchronous && LibPmem.hasAutoFlush();
        return PlatformSettings.of(System.getenv()).domain(synchronous, autoFlush);
    }

    private Persistence persistence(PersistenceDomain found) {
        if (found == PersistenceDomain.EADR) {
            return new StoreFencing(this);
        }
        boolean byCacheLine = found != PersistenceDomain.PAGE_CACHE && LibPmem.isInstalled();
        return byCacheLine ? new CacheLineFlushing(this) : new PageSyncing(this);
    }

    /**
     * Maps the shares in order.
     *
     * @throws FarheapException ENVIRONMENT when the system refuses; nothing stays mapped
     */
    public static MappedImage map(List<Share> shares, Access access) {
        return map(shares, access, 0);
    }

    /**
     * As above, with address space to grow in.
     *
     * @param mostBytes what it may have once it has grown; not used where it is less than the
     *     shares have
     */
    public static MappedImage map(List<Share> shares, Access access, long mostBytes) {
        long size = length(shares);
        long reserved = Math.max(size, mostBytes & -PAGE);
        boolean seesFiles = access == Access.SHARED || access == Access.READ_ONLY;
        if (PortablePersistence.isUsed() && seesFiles && shares.size() == 1 && reserved == size) {
            long mapped = AddressSpace.mapFile(0, shares.get(0), access, false, 0);
            return new MappedImage(shares, mapped, size, access, false, false);
        }
        long address =
                AddressSpace.reserve(reserved, AddressSpace.LARGE_PAGE, shares.get(0).file());
        try {
            boolean synchronous =
                    access == Access.SHARED
                            && shares.stream()
                                    .allMatch(
                                            share ->
                                                    AddressSpace.isSynchronous(share.file(), PAGE));
            long at = address;
            for (Share share : shares) {
                AddressSpace.mapInto(at, share, access, synchronous);
                at += share.length();
            }
            return new MappedImage(shares, address, reserved, access, synchronous, false);
        } catch (RuntimeException | Error e) {
            try {
                AddressSpace.unmap(address, reserved, shares.get(0).file().path());
            } catch (RuntimeException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    /**
     * Maps one more share behind those that are there; {@link #segment} does not show it before
     * {@link #extend}. Again: in the place of the one that was not shown.
     *
     * @throws FarheapException ENVIRONMENT when the system refuses or the file is not like the
     *     others; WRONG_USE when less is reserved
     */
    public void append(Share share) {
        if (share.length() > reserved - size()) {
            throw FarheapException.wrongUse(
                    "%s bytes more do not fit the %s reserved for %s, of which %s are used",
                    share.length(), reserved, place, size());
        }
        AddressSpace.mapInto(address + size(), share, access, synchronous);
        mappings.append(share, size());
    }

    /**
     * Shows what was written to the files, past the image, since they were mapped. To be called
     * before anything is stored.
     */
    public void readAgain() {
        if (PortablePersistence.isUsed() && access != Access.SHARED) {
            long at = address;
            for (Share share : mappings.shares()) {
                AddressSpace.mapInto(at, share, access, synchronous);
                at += share.length();
            }
        }
    }

    /** Touches every page, writing back what it holds, so that no later store waits for one. */
    public void prefault() {
        MemorySegment all = segment;
        for (long at = 0; at < all.byteSize(); at += PAGE) {
            if (access == Access.JOURNALED) { // a store would make the page private
                byte unused = (byte) BYTE.getVolatile(all, at);
                continue;
            }
            // volatile: a compiler may leave out a store of what was just loaded
            BYTE.setVolatile(all, at, (byte) BYTE.getVolatile(all, at));
        }
    }

    /**
     * Stores what every page in memory holds once more, atomically, so that the kernel has to write
     * it again: after a failed write it takes for clean what never reached the medium.
     */
    void storeAgain() {
        MemorySegment all = segment;
        try (Arena temporary = Arena.ofConfined()) {
            MemorySegment resident = temporary.allocate(AddressSpace.LARGE_PAGE / PAGE);
            for (long at = 0; at < all.byteSize(); at += AddressSpace.LARGE_PAGE) {
                long length = Math.min(AddressSpace.LARGE_PAGE, all.byteSize() - at);
                int result = SystemCalls.current().residentPages(address + at, length, resident);
                AddressSpace.check(result, "look for pages of " + place + " in memory");
                for (long page = 0; page < length / PAGE; page++) {
                    if ((resident.get(ValueLayout.JAVA_BYTE, page) & 1) != 0) {
                        long unused = (long) LONG.getAndBitwiseOr(all, at + page * PAGE, 0L);
                    }
                }
            }
        }
    }

    /**
     * Refuses files that have become shorter than what is mapped of them.
     *
     * @throws FarheapException BAD_DATA naming the first
     */
    public void requireWhole() {
        faults.requireWhole(0, size());
    }

    /**
     * The same of the files that have something of a range; allocates nothing.
     *
     * @throws FarheapException BAD_DATA naming the first
     */
    void requireWhole(long from, long to) {
        faults.requireWhole(from, to);
    }

    /** What its files lack of what is mapped of them. */
    ImageFaults faults() {
        return faults;
    }

    /** Whether its bytes can be moved past the mapping, as every view of the files has them. */
    boolean hasFiles() {
        return access == Access.SHARED && !device && !PortablePersistence.isUsed();
    }

    /** Reserves what files in memory have not got yet of their space. */
    void reserveSpace() {
        for (Share share : mappings.shares()) {
            if (!device && share.file().isInMemory()) {
                share.file().allocate(share.offset() + share.length());
            }
        }
    }

    /** Whether all its files lie in memory. */
    boolean isInMemory() {
        for (Share share : mappings.shares()) {
            if (device || !share.file().isInMemory()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Reads past the mapping, where it {@link #hasFiles}.
     *
     * @param buffer native
     * @throws FarheapException BAD_DATA naming a file that was cut off
     */
    void read(long offset, MemorySegment buffer) {
        requireMapped();
        if (!ImageFiles.read(mappings.shares(), offset, buffer)) {
            requireWhole(offset, offset + buffer.byteSize());
            throw FarheapException.environment(
                    "%s could not be read to its end: somebody cuts it off and lengthens it; end"
                            + " that",
                    place);
        }
    }

    /**
     * Writes past the mapping, where it {@link #hasFiles}; to be flushed as what is stored.
     *
     * @param buffer native
     * @throws FarheapException BAD_DATA naming a file that was cut off
     */
    void write(long offset, MemorySegment buffer) {
        requireMapped();
        requireWhole(offset, offset + buffer.byteSize()); // or it would be made longer again
        ImageFiles.write(mappings.shares(), offset, buffer);
    }

    /** Shows the share that was appended, of so many bytes. */
    public void extend(long bytes) {
        segment = MemorySegment.ofAddress(address).reinterpret(size() + bytes, arena, null);
    }

    /** All that is mapped, writable, aligned to 2 MiB (to 1 GiB where 2 GiB are reserved). */
    public MemorySegment segment() {
        return segment;
    }

    /** How stores to this range become durable; offsets count from the range's start. */
    public Persistence persistence() {
        return persistence;
    }

    /** The weakest domain of its files. */
    public PersistenceDomain domain() {
        return domain;
    }

    /** Whether a fence enters the kernel: page cache, or no libpmem to write back cache lines. */
    public boolean fencesBySystemCall() {
        return persistence instanceof PageSyncing || access == Access.JOURNALED;
    }

    /** Makes all stores to the range durable, flushed or not. */
    public void syncPages() {
        if (device) { // the kernel has no pages of it
            persistence.flush(0, size());
            persistence.fence();
            return;
        }
        PageSyncing everything = new PageSyncing(this);
        everything.flush(0, size());
        everything.fence();
    }

    /**
     * Ends all access and unmaps. Idempotent. The files stay open. Waits, bounded, for system calls
     * that have a view of this memory as their buffer.
     *
     * @throws FarheapException WRONG_USE when one still has; everything is as it was then
     */
    @Override
    public void close() {
        if (open) {
            endAccess();
            open = false;
            try {
                mappings.close();
            } finally {
                AddressSpace.unmap(address, reserved, place);
            }
        }
    }

    /** The JDK refuses to take memory away from a system call that writes it to a channel, say. */
    private void endAccess() {
        long start = System.nanoTime();
        while (true) {
            try {
                arena.close();
                return;
            } catch (IllegalStateException inUse) {
                if (System.nanoTime() - start > MOST_WAIT_NANOS) {
                    throw FarheapException.wrongUse(
                            inUse,
                            "%s stays mapped: a channel has been reading or writing a view of it"
                                    + " for longer than %s ms; end that and close again",
                            place,
                            TimeUnit.NANOSECONDS.toMillis(MOST_WAIT_NANOS));
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }

    long address() {
        requireMapped();
        return address;
    }

    /** False once it is closed. */
    public boolean isMapped() {
        return open;
    }

    void requireMapped() {
        if (!open) {
            throw new IllegalStateException(place + " is not mapped any more");
        }
    }

    /** The same files for syncs beside those of {@link #address}. */
    SyncMappings mappings() {
        return mappings;
    }

    long size() {
        return segment.byteSize();
    }

    String place() {
        return place;
    }
}
