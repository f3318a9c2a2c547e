package io.farheap.tools.verify;

import io.farheap.replication.control.ByteRange;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** One copy as it is compared with the reference, and what was found. */
final class ComparedCopy {
    /** More places say no more. */
    static final int MOST = 1000;

    private final Copy copy;
    private final boolean sameCommits;

    /** Ends by offset: what the next opening settles. */
    private final NavigableMap<Long, Long> unsettled = new TreeMap<>();

    private final List<ByteRange> places = new ArrayList<>();
    private long placeCount;
    private long bytes;
    private long pages;
    private long unsettledBytes;
    private long lastEnd = -1;
    private Content content = Content.SAME;
    private String lost;

    /**
     * @param sameCommits it must be equal; else it is known to be another version, and only pages
     *     are counted
     * @param notApplied where it may differ until the pool is opened
     */
    ComparedCopy(Copy copy, boolean sameCommits, List<ByteRange> notApplied) {
        this.copy = copy;
        this.sameCommits = sameCommits;
        notApplied.forEach(range -> unsettled.put(range.offset(), range.offset() + range.length()));
    }

    Copy copy() {
        return copy;
    }

    boolean hasSameCommits() {
        return sameCommits;
    }

    /** It can't be read any more: what was found of it is no result. */
    void lost(String why) {
        lost = why;
    }

    boolean isLost() {
        return lost != null;
    }

    /** Why it can't be read any more, or null. */
    String whyLost() {
        return lost;
    }

    /** A run of bytes that mean something is not the reference's; told in rising order. */
    void holds(long offset, int checksum) {
        content = content.and(offset, checksum);
    }

    Content content() {
        return content;
    }

    /** Whether one more place would be kept. */
    boolean isExact() {
        return places.size() < MOST;
    }

    void pageDiffers() {
        pages++;
    }

    /** These bytes differ and mean something; told in rising order. */
    void differs(long offset, long length) {
        if (isUnsettled(offset)) {
            unsettledBytes += length;
            return;
        }
        bytes += length;
        boolean continues = offset == lastEnd;
        lastEnd = offset + length;
        if (!continues) {
            placeCount++;
            if (isExact()) {
                places.add(new ByteRange(offset, length));
            }
        } else if (placeCount == places.size()) {
            ByteRange last = places.removeLast();
            places.add(new ByteRange(last.offset(), last.length() + length));
        }
    }

    /** Whether the next opening settles what lies there. */
    boolean isUnsettled(long offset) {
        var before = unsettled.floorEntry(offset);
        return before != null && offset < before.getValue();
    }

    /** The first places where it differs, rising. */
    List<ByteRange> places() {
        return places;
    }

    /** How many places there are in all. */
    long placeCount() {
        return placeCount;
    }

    /** Bytes of all places. */
    long bytes() {
        return bytes;
    }

    /** Pages in which anything differs, be it free memory. */
    long pages() {
        return pages;
    }

    /** Bytes that differ where records wait that the next opening settles. */
    long unsettledBytes() {
        return unsettledBytes;
    }
}
