package io.farheap.replication.epoch;

import io.farheap.replication.control.ByteRange;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Where one replica was found to differ from the pool, as far as it was compared. Thread-safe. */
public final class Differences {
    /** More of them say no more. */
    public static final int MOST = 1000;

    private final NavigableMap<Long, Long> lengths = new TreeMap<>();

    /**
     * A range was compared: this is what differs there now.
     *
     * @return what of it was not known before
     */
    public synchronized List<ByteRange> compared(long offset, long length, List<ByteRange> found) {
        NavigableMap<Long, Long> known = lengths.subMap(offset, true, offset + length, false);
        NavigableMap<Long, Long> before = new TreeMap<>(known);
        known.clear();
        List<ByteRange> news = new ArrayList<>();
        for (ByteRange range : found) {
            if (lengths.size() == MOST) {
                break;
            }
            lengths.put(range.offset(), range.length());
            Long earlier = before.get(range.offset());
            if (earlier == null || earlier != range.length()) {
                news.add(range);
            }
        }
        return news;
    }

    /** All of them, ascending. */
    public synchronized List<ByteRange> all() {
        List<ByteRange> all = new ArrayList<>();
        lengths.forEach((offset, length) -> all.add(new ByteRange(offset, length)));
        return all;
    }

    public synchronized boolean isEmpty() {
        return lengths.isEmpty();
    }
}
