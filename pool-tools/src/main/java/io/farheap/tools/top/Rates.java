package io.farheap.tools.top;

import io.farheap.live.LiveFigures;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What happened between two looks. */
final class Rates {
    private final LiveFigures before;
    private final LiveFigures now;

    Rates(LiveFigures before, LiveFigures now) {
        this.before = before;
        this.now = now;
    }

    /** How much more of it there is. */
    long more(String name) {
        return now.of(name) - before.of(name);
    }

    double perSecond(String name) {
        long nanos = Math.max(1, now.nanos() - before.nanos());
        return more(name) * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
    }

    /** 0 where there was no commit. */
    double perCommit(String name) {
        return more("commits") == 0 ? 0 : (double) more(name) / more("commits");
    }

    /** Whether the program tells it: another version may not. */
    boolean has(String name) {
        return now.counts().containsKey(name);
    }

    /**
     * The time that so much of what was measured between the looks stayed below, in nanoseconds, up
     * to a sixteenth too long; empty where nothing was.
     *
     * @param name as in {@code CommitTimes}
     * @param part 0.99: of a hundred, one may have taken longer
     */
    OptionalLong quantile(String name, double part) {
        String prefix = name + "Below";
        NavigableMap<Long, Long> measured = new TreeMap<>();
        for (String each : now.counts().keySet()) {
            if (each.startsWith(prefix) && more(each) > 0) {
                measured.put(Long.parseLong(each.substring(prefix.length())), more(each));
            }
        }
        long left = (long) Math.ceil(part * measured.values().stream().mapToLong(n -> n).sum());
        for (Map.Entry<Long, Long> bucket : measured.entrySet()) {
            left -= bucket.getValue();
            if (left <= 0) {
                return OptionalLong.of(bucket.getKey());
            }
        }
        return OptionalLong.empty();
    }

    /** How long before the last look it was, by the clock of the program. */
    long nanosSince(String name) {
        return Math.max(0, now.nanos() - now.of(name));
    }

    /** Since the pool was opened; what is no counter: now. */
    long total(String name) {
        return now.of(name);
    }
}
