package io.farheap.tools.top;

import io.farheap.live.LiveFigures;
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

    /** Since the pool was opened; what is no counter: now. */
    long total(String name) {
        return now.of(name);
    }
}
