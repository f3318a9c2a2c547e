package io.farheap.availability;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time that passes when somebody waits for it; what is to happen at a time happens then. */
final class VirtualClock implements LivenessClock {
    private static final Duration FOR_EVER = Duration.ofHours(1);

    private final List<Event> events = new ArrayList<>();
    private long now = 1_000;

    private record Event(long at, Runnable what) {}

    /** So long after the beginning. */
    VirtualClock at(Duration time, Runnable what) {
        events.add(new Event(1_000 + time.toNanos(), what));
        events.sort(Comparator.comparingLong(Event::at));
        return this;
    }

    Duration passed() {
        return Duration.ofNanos(now - 1_000);
    }

    void advance(Duration time) {
        now += time.toNanos();
    }

    @Override
    public long nanos() {
        return now;
    }

    /** An event may have changed something: whoever waits is woken. */
    @Override
    public void pause(Duration atMost) {
        long end = now + atMost.toNanos();
        if (!events.isEmpty() && events.get(0).at() <= end) {
            Event next = events.remove(0);
            now = Math.max(now, next.at());
            next.what().run();
            return;
        }
        now = end;
        if (passed().compareTo(FOR_EVER) > 0) {
            throw new AssertionError("it waits for ever");
        }
    }
}
