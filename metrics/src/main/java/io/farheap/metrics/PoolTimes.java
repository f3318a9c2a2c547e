package io.farheap.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;

/**
 * How long commits, syncs and checkpoints of all pools of this process take, as timers with
 * histograms and the tag {@code pool}: what the pool's files are called (docs/monitoring.md).
 *
 * <p>They come from events of the JDK Flight Recorder, which this has on for as long as it is open:
 * an event of each commit, and a second until it is seen. Thread-safe.
 */
public final class PoolTimes implements MeterBinder, AutoCloseable {
    private static final Duration SHORTEST = Duration.ofNanos(100);
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private final RecordingStream events = new RecordingStream();

    /** Listens to nothing yet. */
    public PoolTimes() {}

    /**
     * Starts to listen.
     *
     * @throws IllegalStateException when it was bound before
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        listen("io.farheap.Commit", "farheap.commit", "commits and roll-backs", registry);
        listen("io.farheap.DiskSync", "farheap.disk.sync", "syncs of the disk journal", registry);
        listen("io.farheap.Checkpoint", "farheap.checkpoint", "checkpoints", registry);
        events.startAsync();
    }

    private void listen(String event, String name, String what, MeterRegistry registry) {
        Map<String, Timer> timers = new ConcurrentHashMap<>();
        events.enable(event).withoutThreshold().withoutStackTrace();
        events.onEvent(
                event,
                seen ->
                        timers.computeIfAbsent(
                                        pool(seen), pool -> timer(name, what, pool, registry))
                                .record(seen.getDuration()));
    }

    private static String pool(RecordedEvent event) {
        String field = event.hasField("pool") ? "pool" : "journal";
        String place = event.getString(field);
        return place == null ? "" : place;
    }

    private static Timer timer(String name, String what, String pool, MeterRegistry registry) {
        return Timer.builder(name)
                .description("how long " + what + " take")
                .tag("pool", pool)
                .publishPercentileHistogram()
                .minimumExpectedValue(SHORTEST)
                .maximumExpectedValue(LONGEST)
                .register(registry);
    }

    /** Stops listening; what was recorded stays in the registry. */
    @Override
    public void close() {
        events.close();
    }
}
