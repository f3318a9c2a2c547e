package io.farheap.simulation.cell;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a store was asked, second by second. */
final class StoreLoad {
    private static final long SECOND = 1_000_000_000L;

    /** What is asked of it. */
    enum Kind {
        RANGE("/v3/kv/range"),
        TXN("/v3/kv/txn"),
        GRANT("/v3/lease/grant"),
        KEEP_ALIVE("/v3/lease/keepalive"),
        REVOKE("/v3/lease/revoke"),
        WATCH("/v3/watch");

        private final String path;

        Kind(String path) {
            this.path = path;
        }

        static Kind of(String path) {
            for (Kind kind : values()) {
                if (kind.path.equals(path)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException(path);
        }

        /** Goes through the log of the store, and to the disks of most members. */
        boolean isWritten() {
            return this == TXN || this == GRANT || this == REVOKE;
        }
    }

    private final List<long[]> seconds = new ArrayList<>();
    private final Map<Kind, Long> all = new EnumMap<>(Kind.class);
    private long bytesIn;
    private long bytesOut;
    private long busyNanos;
    private long longestWait;
    private long records;

    /** A pool's record has changed. */
    void recorded() {
        records++;
    }

    long records() {
        return records;
    }

    void asked(Kind kind, long now, long bytes) {
        int second = Math.toIntExact(now / SECOND);
        while (seconds.size() <= second) {
            seconds.add(new long[Kind.values().length]);
        }
        seconds.get(second)[kind.ordinal()]++;
        var unused = all.merge(kind, 1L, Long::sum);
        bytesIn += bytes;
    }

    void answered(long bytes) {
        bytesOut += bytes;
    }

    void served(long waited, long cost) {
        longestWait = Math.max(longestWait, waited);
        busyNanos += cost;
    }

    /** What there was until a moment. */
    record Mark(long at, Map<Kind, Long> all, long bytesIn, long bytesOut, long busyNanos) {}

    Mark mark(long now) {
        longestWait = 0;
        return new Mark(now, new EnumMap<>(with(all)), bytesIn, bytesOut, busyNanos);
    }

    private static Map<Kind, Long> with(Map<Kind, Long> counts) {
        Map<Kind, Long> whole = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            whole.put(kind, counts.getOrDefault(kind, 0L));
        }
        return whole;
    }

    /**
     * What was asked in a time.
     *
     * @param requests a second, on average
     * @param written of these, so many go through the store's log
     * @param peak the most of one second
     * @param busy the share of the time in which the store worked
     * @param longestWait of a request for its turn, in nanoseconds
     */
    record Window(
            double seconds,
            double requests,
            double written,
            long peak,
            double bytesIn,
            double bytesOut,
            double busy,
            long longestWait,
            Map<Kind, Double> each) {}

    Window since(Mark from, long now) {
        double span = (now - from.at()) / (double) SECOND;
        Map<Kind, Double> each = new EnumMap<>(Kind.class);
        double requests = 0;
        double written = 0;
        for (Kind kind : Kind.values()) {
            double rate = (all.getOrDefault(kind, 0L) - from.all().get(kind)) / span;
            each.put(kind, rate);
            requests += rate;
            written += kind.isWritten() ? rate : 0;
        }
        return new Window(
                span,
                requests,
                written,
                peak(from.at(), now),
                (bytesIn - from.bytesIn()) / span,
                (bytesOut - from.bytesOut()) / span,
                (busyNanos - from.busyNanos()) / span / SECOND,
                longestWait,
                each);
    }

    private long peak(long from, long to) {
        long most = 0;
        for (long second = from / SECOND; second <= to / SECOND; second++) {
            if (second < seconds.size()) {
                long sum = 0;
                for (long count : seconds.get(Math.toIntExact(second))) {
                    sum += count;
                }
                most = Math.max(most, sum);
            }
        }
        return most;
    }
}
