package io.farheap.memory;

/**
 * What one thread flushed since it last ordered, in whole words, and its place among those who wait
 * for the disk.
 */
final class FlushedRanges extends RangeList {
    // ---- while it waits; see DiskJournal
    Thread thread;
    FlushedRanges next;
    long wanted;
    volatile boolean done = true;

    FlushedRanges() {
        super(64);
    }
}
