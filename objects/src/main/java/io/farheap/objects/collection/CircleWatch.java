package io.farheap.objects.collection;

import io.farheap.base.FarheapException;

/**
 * Goes along a chain whose links may run in a circle, as only those of a damaged pool do, and
 * believes nothing that the collection says of itself: it remembers a link, a later one each time
 * that it has come twice as far, and refuses to meet it again (Brent's way). Not thread-safe.
 */
final class CircleWatch {
    /** Chains are followed so far without one. */
    static final int SHORT = 64;

    private final String what;
    private final long header;
    private long remembered;
    private long ahead = 1;
    private long left = 1;

    CircleWatch(String what, long header) {
        this.what = what;
        this.header = header;
    }

    /**
     * One more link.
     *
     * @param link its offset
     * @throws FarheapException BAD_DATA for one that was met before, some links later at most
     */
    void pass(long link) {
        if (link == remembered) {
            throw CollectionCheck.damaged(what, header, "a chain in it has no end");
        }
        if (--left == 0) {
            remembered = link;
            ahead <<= 1;
            left = ahead;
        }
    }

    /** Goes along another chain. */
    void begin() {
        remembered = 0;
        ahead = 1;
        left = 1;
    }
}
