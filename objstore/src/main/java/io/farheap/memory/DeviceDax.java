package io.farheap.memory;

import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Maps the beginning of a device DAX, which can't be read, written or synced: a length is a
 * multiple of the device's alignment and within the device.
 */
public final class DeviceDax {
    private DeviceDax() {}

    /**
     * For loads and stores. No system call makes stores to a device durable: only who can write
     * back cache lines gets it.
     *
     * @param file the device, kept open by its owner while mapped
     * @param alignment the device's own
     * @throws FarheapException ENVIRONMENT when the system refuses, or when nothing here can make
     *     stores durable
     */
    public static MappedImage map(NativeFile file, long length, long alignment) {
        if (!AddressSpace.isSynchronous(file, alignment)) {
            throw cannotStore(file, "the kernel does not map it with MAP_SYNC");
        }
        PersistenceDomain domain = MappedImage.domainOf(true);
        if (domain == PersistenceDomain.PAGE_CACHE) {
            throw cannotStore(
                    file, "PMEM_IS_PMEM_FORCE or PMEM2_FORCE_GRANULARITY orders the page cache");
        }
        if (domain != PersistenceDomain.EADR && !LibPmem.isInstalled()) {
            throw cannotStore(file, "that takes libpmem, which is not installed (libpmem1)");
        }
        long address = AddressSpace.reserve(length, alignment, file);
        try {
            Share share = new Share(file, 0, length);
            AddressSpace.mapInto(address, share, Access.SHARED, true);
            return new MappedImage(List.of(share), address, length, Access.SHARED, true, true);
        } catch (RuntimeException e) {
            AddressSpace.unmap(address, length, file.path());
            throw e;
        }
    }

    private static FarheapException cannotStore(NativeFile device, String why) {
        return FarheapException.environment(
                "stores to the device DAX %s cannot be made durable: %s", device.path(), why);
    }

    /**
     * Read-only, for as long as the arena lives. The file may be closed before.
     *
     * @throws FarheapException ENVIRONMENT when the system refuses
     */
    public static MemorySegment read(NativeFile file, long length, Arena arena) {
        long mapped =
                AddressSpace.map(0, length, LibC.PROT_READ, LibC.MAP_SHARED, file.descriptor(), 0);
        AddressSpace.check(mapped, "map " + length + " bytes of " + file.path());
        return MemorySegment.ofAddress(mapped)
                .reinterpret(
                        length,
                        arena,
                        gone -> AddressSpace.unmap(gone.address(), length, file.path()))
                .asReadOnly();
    }
}
