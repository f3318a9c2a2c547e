package io.farheap.objects.transaction;

import java.util.HashMap;
import java.util.Map;

/** What one transaction did, as its program saw it: cells and the values in them. */
final class RecordedTransaction {
    final String name;

    /** Tickets of one counter: taken before it was begun and after it returned. */
    final long begin;

    long end;
    boolean committed;

    /** The first value that was read of each cell, before own writes. */
    final Map<Integer, Long> reads = new HashMap<>();

    /** The last value that was written to each; who writes has read. No value is written twice. */
    final Map<Integer, Long> writes = new HashMap<>();

    RecordedTransaction(String name, long begin) {
        this.name = name;
        this.begin = begin;
    }

    /** The body runs again. */
    void forget() {
        reads.clear();
        writes.clear();
    }

    @Override
    public String toString() {
        return name + " [" + begin + ", " + end + "] reads " + reads + " writes " + writes;
    }
}
