package io.farheap.memory;

import io.farheap.base.FarheapException;
import io.farheap.memory.MappedImage.Share;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of an image opened and mapped several times more, where nothing loads or stores: ranges
 * to name in an {@code msync}.
 *
 * <p>That a page could not be written the kernel tells once through each open file. Who syncs
 * through files that nobody else syncs through is told, whoever else was told before. The files
 * opened here are told of what happens from then on.
 */
final class SyncMappings {
    private final List<Share> shares;

    /** The same, to look at without a lock. */
    private volatile Share[] all;

    private final long reserved;
    private long address;
    private int count;

    /**
     * @param shares of the image; each file is kept open by its owner
     * @param reserved bytes of address space that the image has to grow in
     */
    SyncMappings(List<Share> shares, long reserved) {
        this.shares = new ArrayList<>(shares);
        this.all = this.shares.toArray(Share[]::new);
        this.reserved = reserved;
    }

    /**
     * Maps all of the image so many times, once only.
     *
     * @param size of the image
     * @return false, and nothing is mapped, when more than that is mapped as yet: it is just about
     *     to grow; or where nothing can be mapped at an address
     * @throws FarheapException ENVIRONMENT when the system refuses; nothing stays mapped
     */
    synchronized boolean open(int times, long size) {
        if (length() > size || PortablePersistence.isUsed()) {
            return false;
        }
        NativeFile first = shares.get(0).file();
        address = AddressSpace.reserve(times * reserved, MappedImage.PAGE, first);
        count = times;
        try {
            long at = 0;
            for (Share share : shares) {
                map(at, share);
                at += share.length();
            }
            return true;
        } catch (Throwable e) {
            try {
                close();
            } catch (RuntimeException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    private long length() {
        return shares.stream().mapToLong(Share::length).sum();
    }

    private void map(long offset, Share share) {
        for (int i = 0; i < count; i++) {
            try (NativeFile again = share.file().openAgain()) { // the mapping keeps it open
                long mapped =
                        AddressSpace.map(
                                address(i) + offset,
                                share.length(),
                                LibC.PROT_NONE,
                                LibC.MAP_SHARED | LibC.MAP_FIXED,
                                again.descriptor(),
                                share.offset());
                AddressSpace.check(mapped, "map " + share.file().path() + " once more");
            }
        }
    }

    /** Where the image starts in the {@code i}-th of them, from 0. */
    synchronized long address(int i) {
        return address + i * reserved;
    }

    /**
     * Maps one more share behind the image, in the place of one that it never showed.
     *
     * @param size of the image as yet
     */
    synchronized void append(Share share, long size) {
        while (length() > size) {
            Share unused = shares.remove(shares.size() - 1);
        }
        map(size, share);
        shares.add(share);
        all = shares.toArray(Share[]::new);
    }

    /**
     * The first share, of those that have something of a range, whose file no longer reaches as
     * far; null: all do. Allocates nothing.
     *
     * @param from where the range starts in the image
     * @param to where it ends, inside the image
     */
    Share cutOff(long from, long to) {
        long at = 0;
        for (Share share : all) {
            long end = at + share.length();
            boolean meets = at < to && end > from;
            if (meets && share.file().sizeNow() < share.offset() + share.length()) {
                return share;
            }
            at = end;
        }
        return null;
    }

    /** Those of the image, in order; not to be changed. */
    Share[] shares() {
        return all;
    }

    /** Once nobody syncs any more. */
    synchronized void close() {
        if (count > 0) {
            int mapped = count;
            count = 0;
            AddressSpace.unmap(address, mapped * reserved, shares.get(0).file().path());
        }
    }
}
