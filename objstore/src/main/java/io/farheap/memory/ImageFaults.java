package io.farheap.memory;

import io.farheap.base.FarheapException;
import io.farheap.memory.MappedImage.Share;

/**
 * What the files of an image lack of what is mapped of them, told in words: the system tells it by
 * a fault of the load or store that meets it, or not at all. Thread-safe.
 */
final class ImageFaults {
    private final String place;
    private final SyncMappings mappings;
    private final boolean device; // has no size, and no end

    ImageFaults(String place, SyncMappings mappings, boolean device) {
        this.place = place;
        this.mappings = mappings;
        this.device = device;
    }

    /**
     * Refuses files that have something of a range and have become shorter; allocates nothing.
     *
     * @throws FarheapException BAD_DATA naming the first
     */
    void requireWhole(long from, long to) {
        Share share = device ? null : mappings.cutOff(from, to);
        if (share != null) {
            throw cutOff(share, null);
        }
    }

    /**
     * What to throw where one of the files has become shorter than what is mapped of it; null: none
     * has.
     *
     * @param size of the image
     * @param cause may be null
     */
    FarheapException cutOff(long size, Throwable cause) {
        Share share = device ? null : mappings.cutOff(0, size);
        return share == null ? null : cutOff(share, cause);
    }

    private static FarheapException cutOff(Share share, Throwable cause) {
        return FarheapException.badData(
                cause,
                "%s was cut off while the pool was open: it has %s bytes, and the pool"
                        + " needs %s. Close the pool; what was committed is in its other copies:"
                        + " farheap status tells which are sound, farheap sync restores from"
                        + " them.",
                share.file().path(),
                share.file().size(),
                share.offset() + share.length());
    }

    /** What to throw when a page could not be reached, and no file is too short for that. */
    FarheapException unreadable(InternalError error) {
        return FarheapException.environment(
                error,
                "A page of %s, or of another file that the program has mapped, could"
                        + " not be read or written: the kernel's log says which. Close the pool;"
                        + " what was committed is in its other copies: farheap status tells"
                        + " which are sound, farheap sync restores from them.",
                place);
    }
}
