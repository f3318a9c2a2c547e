package io.farheap.memory;

import io.farheap.base.FarheapException;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;

/**
 * Address space, as the system gives it: reserved, files mapped into it, given back. Who has it and
 * until when is for {@link MappedImage} and the others that keep an address.
 */
final class AddressSpace {
    static final long LARGE_PAGE = 2L << 20;

    private static final long HUGE_PAGE = 1L << 30;

    private AddressSpace() {}

    /** An address range of its own for the image, aligned so that large pages can back it. */
    static long reserve(long size, long least, NativeFile first) {
        long alignment = Math.max(least, size >= 2 * HUGE_PAGE ? HUGE_PAGE : LARGE_PAGE);
        int flags = LibC.MAP_PRIVATE | LibC.MAP_ANONYMOUS | LibC.MAP_NORESERVE;
        long range = size + alignment;
        long hint = PlatformSettings.of(System.getenv()).mappingAddress();
        long start = map(hint, range, LibC.PROT_NONE, flags, -1, 0);
        check(start, "reserve " + range + " bytes of address space for " + first.path());
        long aligned = (start + alignment - 1) & -alignment;
        if (aligned > start) {
            unmap(start, aligned - start, first.path());
        }
        if (start + range > aligned + size) {
            unmap(aligned + size, start + range - aligned - size, first.path());
        }
        return aligned;
    }

    /** Whether the file can be mapped so that its stores need no system call: DAX. */
    static boolean isSynchronous(NativeFile file, long length) {
        int flags = LibC.MAP_SHARED_VALIDATE | LibC.MAP_SYNC;
        long probe = map(0, length, LibC.PROT_READ, flags, file.descriptor(), 0);
        if (probe < 0) {
            return false;
        }
        unmap(probe, length, file.path());
        return true;
    }

    /** Maps it into a range that is reserved. */
    static void mapInto(long at, Share share, Access access, boolean synchronous) {
        long unused = mapFile(at, share, access, synchronous, LibC.MAP_FIXED);
    }

    /**
     * Maps it.
     *
     * @param fixed {@link LibC#MAP_FIXED} for {@code at} and nowhere else; 0: anywhere, and {@code
     *     at} is 0
     */
    static long mapFile(long at, Share share, Access access, boolean synchronous, int fixed) {
        int sharing = LibC.MAP_SHARED;
        int protection = LibC.PROT_READ_WRITE;
        if (access == Access.READ_ONLY) {
            protection = LibC.PROT_READ;
        } else if (access != Access.SHARED) {
            sharing = LibC.MAP_PRIVATE | LibC.MAP_NORESERVE;
        } else if (synchronous) {
            sharing = LibC.MAP_SHARED_VALIDATE | LibC.MAP_SYNC;
        }
        long mapped =
                map(
                        at,
                        share.length(),
                        protection,
                        sharing | fixed,
                        share.file().descriptor(),
                        share.offset());
        check(mapped, "map " + share.length() + " bytes of " + share.file().path());
        return mapped;
    }

    /** What the system answers: an address, or an error below 0. */
    static long map(
            long address, long length, int protection, int flags, int descriptor, long offset) {
        SystemCalls calls = SystemCalls.current();
        return NativeFile.uninterrupted(
                () -> calls.map(address, length, protection, flags, descriptor, offset));
    }

    /** Throws what an answer below 0 says. */
    static void check(long result, String what) {
        if (result < 0) {
            throw FarheapException.environment("cannot %s: %s", what, SystemError.of(result));
        }
    }

    static void unmap(long address, long length, Object file) {
        SystemCalls calls = SystemCalls.current();
        long result = NativeFile.uninterrupted(() -> calls.unmap(address, length));
        if (result < 0) {
            throw FarheapException.environment("cannot unmap %s: %s", file, SystemError.of(result));
        }
    }
}
