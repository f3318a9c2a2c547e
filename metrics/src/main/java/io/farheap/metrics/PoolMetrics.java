package io.farheap.metrics;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import io.farheap.base.HeapSpace;
import io.farheap.base.ReplicaStatus;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * An open pool's counters and its remote replicas as meters, all with the tag {@code pool}
 * (docs/monitoring.md lists them).
 *
 * <pre>{@code
 * try (ObjectPool pool = ObjectPool.open(Path.of("bank.set"), "bank");
 *         PoolMetrics metrics = new PoolMetrics(pool, "bank")) {
 *     metrics.bindTo(registry);
 *     serve(pool);
 * }
 * }</pre>
 *
 * <p>Reading a meter costs a sum over counters; those of space together cost one walk over the
 * allocator's tables for each scrape ({@link io.farheap.pmemobj.HeapControl#space}); commits pay
 * nothing. How long commits take: {@link PoolTimes}. After the pool is closed the counters stay
 * what they were last, and space is not a number. Thread-safe.
 */
public final class PoolMetrics implements MeterBinder, AutoCloseable {
    private final LivePool pool;
    private final Tags tags;
    private final List<Bound> bound = new ArrayList<>();

    private record Bound(MeterRegistry registry, Meter meter) {}

    /**
     * @param name what the tag {@code pool} says: no two pools of a registry may have the same
     */
    public PoolMetrics(ObjectPool pool, String name) {
        this.pool = new LivePool(pool);
        tags = Tags.of("pool", Objects.requireNonNull(name, "name"));
    }

    /**
     * Registers the meters. The pool's remote replicas are those that it has now: where its poolset
     * file is read again later, bind once more for those that were added. What has left is not a
     * number.
     */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        new Counters(registry).register();
        new Space(registry).register();
        number(registry);
        compared(registry);
        for (ReplicaStatus each : pool.replicas()) {
            new Replica(registry, each.replica()).register();
        }
    }

    /** Takes the meters out of the registries again. Idempotent. */
    @Override
    public synchronized void close() {
        for (Bound each : bound) {
            Meter unused = each.registry.remove(each.meter);
        }
        bound.clear();
    }

    private void number(MeterRegistry registry) {
        bound.add(
                new Bound(
                        registry,
                        Gauge.builder("farheap.pool.number", pool, PoolMetrics::number)
                                .strongReference(true)
                                .description(
                                        "another one at each opening and each change of the"
                                                + " replicas that commits wait for")
                                .tags(tags)
                                .register(registry)));
    }

    private void compared(MeterRegistry registry) {
        bound.add(
                new Bound(
                        registry,
                        Gauge.builder("farheap.pool.compared.time", pool, PoolMetrics::compared)
                                .strongReference(true)
                                .description(
                                        "when the last comparison of all replicas ended, since"
                                                + " 1970; not a number: none has")
                                .baseUnit("seconds")
                                .tags(tags)
                                .register(registry)));
    }

    private static double compared(LivePool pool) {
        return pool.compared().map(at -> at.toEpochMilli() / 1000.0).orElse(Double.NaN);
    }

    private static double number(LivePool pool) {
        return pool.position().map(at -> (double) at.number()).orElse(Double.NaN);
    }

    private final class Space {
        private final MeterRegistry registry;
        private final SpaceLooks looks = new SpaceLooks(pool);

        Space(MeterRegistry registry) {
            this.registry = registry;
        }

        void register() {
            gauge(0, "used", "in use, headers of objects and runs included", HeapSpace::usedBytes);
            gauge(1, "free", "free, in pieces of any size", HeapSpace::freeBytes);
            gauge(2, "largest.free", "of the largest free block", HeapSpace::largestFreeBytes);
        }

        private void gauge(int number, String name, String what, ToDoubleFunction<HeapSpace> of) {
            bound.add(
                    new Bound(
                            registry,
                            Gauge.builder(
                                            "farheap.heap." + name,
                                            looks,
                                            each -> each.value(number, of))
                                    .strongReference(true)
                                    .description("of the heap: " + what)
                                    .baseUnit("bytes")
                                    .tags(tags)
                                    .register(registry)));
        }
    }

    private final class Counters {
        private final MeterRegistry registry;

        Counters(MeterRegistry registry) {
            this.registry = registry;
        }

        void register() {
            count("commits", "transactions that changed something", PoolCounters::commits);
            count(
                    "transactions.readonly",
                    "transactions that changed nothing",
                    PoolCounters::readOnlyTransactions);
            count("aborts", "transactions rolled back", PoolCounters::aborts);
            count("flushes", "write-backs started", PoolCounters::flushes);
            count("fences", "waits for the local medium", PoolCounters::fences);
            count("replication.records", "records for the replicas", PoolCounters::records);
            count("replication.waits", "waits for the replicas", PoolCounters::durabilityWaits);
            count("replication.doorbells", "chains of work requests", PoolCounters::doorbells);
            bytes("replication.sent", "to remote replicas", PoolCounters::replicaBytes);
            count("disk.syncs", "waits for the disk journal", PoolCounters::diskSyncs);
            bytes("disk.written", "to the disk journal", PoolCounters::diskBytes);
            count("disk.checkpoints", "checkpoints", PoolCounters::checkpoints);
            count("disk.checkpoint.pages", "pages of checkpoints", PoolCounters::checkpointPages);
            count("disk.full", "waits for room in the disk journal", PoolCounters::diskWaits);
        }

        private void count(String name, String what, ToDoubleFunction<PoolCounters> of) {
            add(name, what, null, of);
        }

        private void bytes(String name, String what, ToDoubleFunction<PoolCounters> of) {
            add(name, what, "bytes", of);
        }

        private void add(String name, String what, String unit, ToDoubleFunction<PoolCounters> of) {
            bound.add(
                    new Bound(
                            registry,
                            FunctionCounter.builder( // keeps this alive by the function only
                                            "farheap." + name,
                                            pool,
                                            seen -> of.applyAsDouble(pool.counters()))
                                    .description(what + ", since the pool was opened")
                                    .baseUnit(unit)
                                    .tags(tags)
                                    .register(registry)));
        }
    }

    private final class Replica {
        private final MeterRegistry registry;
        private final String name;

        Replica(MeterRegistry registry, String name) {
            this.registry = registry;
            this.name = name;
        }

        void register() {
            gauge(
                    "attached",
                    "1: it has every commit that returned, or lags by policy",
                    null,
                    now -> now.state() == ReplicaStatus.State.ATTACHED ? 1 : 0);
            gauge(
                    "lag",
                    "at most so many bytes of the pool differ; not a number: not known",
                    "bytes",
                    now -> now.lagBytes() < 0 ? Double.NaN : now.lagBytes());
            gauge(
                    "epoch",
                    "the pool's number when it was last a member; 0: never while this is open",
                    null,
                    ReplicaStatus::epoch);
            gauge(
                    "differences",
                    "ranges that were compared and are not the pool's",
                    null,
                    now -> now.differences().size());
            bound.add(
                    new Bound(
                            registry,
                            TimeGauge.builder(
                                            "farheap.replica.lag.time",
                                            pool,
                                            TimeUnit.NANOSECONDS,
                                            live -> value(live, now -> now.lag().toNanos()))
                                    .strongReference(true)
                                    .description("how long it has been without what was committed")
                                    .tags(tags.and("replica", name))
                                    .register(registry)));
        }

        private void gauge(
                String meter, String what, String unit, ToDoubleFunction<ReplicaStatus> of) {
            bound.add(
                    new Bound(
                            registry,
                            Gauge.builder("farheap.replica." + meter, pool, l -> value(l, of))
                                    .strongReference(true)
                                    .description(what)
                                    .baseUnit(unit)
                                    .tags(tags.and("replica", name))
                                    .register(registry)));
        }

        private double value(LivePool live, ToDoubleFunction<ReplicaStatus> of) {
            return live.replicas().stream()
                    .filter(now -> now.replica().equals(name))
                    .mapToDouble(of)
                    .findFirst()
                    .orElse(Double.NaN);
        }
    }
}
