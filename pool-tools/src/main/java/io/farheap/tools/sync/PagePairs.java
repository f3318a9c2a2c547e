package io.farheap.tools.sync;

import io.farheap.tools.sync.Placement.Link;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Pairs of pages in a row that parts have in common, and whether the pool has each in one place
 * only: equal objects in a row repeat, and what repeats would be common in another place, too. Two
 * pairs with one hash are taken for equal, which proves less, never more.
 */
final class PagePairs {
    static final long PAGE = 4096;

    /** As many are remembered for each link. */
    private static final int MOST = 1 << 16;

    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private static final class Pair {
        private final long offset;
        private final Set<Link> links = new HashSet<>();
        private boolean repeats;

        Pair(long offset) {
            this.offset = offset;
        }
    }

    private final Map<Long, Pair> pairs = new HashMap<>();
    private final Map<Link, Integer> counts = new HashMap<>();

    /** A pair that two rows have in common. */
    void add(Link link, long imageOffset, long hash) {
        Pair pair = pairs.get(hash);
        if (pair == null && counts.merge(link, 1, Integer::sum) <= MOST) {
            pair = new Pair(imageOffset);
            pairs.put(hash, pair);
        }
        if (pair != null) {
            pair.links.add(link);
            pair.repeats |= pair.offset != imageOffset;
        }
    }

    /** A pair that a part has, where its lines say that it lies. */
    void seen(long imageOffset, long hash) {
        Pair pair = pairs.get(hash);
        if (pair != null) {
            pair.repeats |= pair.offset != imageOffset;
        }
    }

    boolean isEmpty() {
        return pairs.isEmpty();
    }

    /** What is proven by a pair that was seen in one place only. */
    Set<Link> proven() {
        Set<Link> proven = new HashSet<>();
        pairs.values().stream()
                .filter(pair -> !pair.repeats)
                .forEach(pair -> proven.addAll(pair.links));
        return proven;
    }

    static long hash(MemorySegment page) {
        long hash = 0;
        for (long at = 0; at < PAGE; at += Long.BYTES) {
            hash = (hash ^ page.get(LONG, at)) * MULTIPLIER;
            hash ^= hash >>> 32;
        }
        return hash;
    }

    static long hash(long first, long second) {
        long hash = (first * MULTIPLIER ^ second) * MULTIPLIER;
        return hash ^ hash >>> 29;
    }
}
