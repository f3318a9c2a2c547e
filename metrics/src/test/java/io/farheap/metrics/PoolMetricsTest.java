package io.farheap.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.HeapSpace;
import io.farheap.base.Ref;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a pool counts is in the registry, and stays there when it is closed. */
class PoolMetricsTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @TempDir private Path directory;

    private ObjectPool pool(String name) {
        return ObjectPool.at(directory.resolve(name)).layout("").size(8 << 20).openOrCreate();
    }

    private double count(String meter, String pool) {
        FunctionCounter found = registry.find(meter).tag("pool", pool).functionCounter();
        assertThat(found).as(meter).isNotNull();
        return found.count();
    }

    @Test
    void countersAreThoseOfThePool() {
        try (ObjectPool pool = pool("a.pool");
                PoolMetrics metrics = new PoolMetrics(pool, "a")) {
            metrics.bindTo(registry);
            double before = count("farheap.commits", "a");
            Ref root = pool.root(8);
            for (int i = 0; i < 5; i++) {
                int value = i;
                pool.transaction(tx -> tx.setLong(root, 0, value));
            }
            pool.transaction(tx -> assertThat(tx.getLong(root, 0)).isEqualTo(4));
            assertThat(count("farheap.commits", "a") - before).isGreaterThanOrEqualTo(5);
            assertThat(count("farheap.commits", "a")).isEqualTo(pool.counters().commits());
            assertThat(count("farheap.transactions.readonly", "a")).isEqualTo(1);
            assertThat(count("farheap.fences", "a")).isEqualTo(pool.counters().fences());
        }
    }

    @Test
    void theNumberIsThatOfThePoolWhileItIsOpen() {
        ObjectPool pool = pool("a.pool");
        new PoolMetrics(pool, "a").bindTo(registry);
        assertThat(space("farheap.pool.number")).isEqualTo(pool.position().number());
        pool.close();
        assertThat(space("farheap.pool.number")).isNaN();
    }

    @Test
    void aPoolThatWasNeverComparedHasNoTimeOfIt() {
        try (ObjectPool pool = pool("a.pool");
                PoolMetrics metrics = new PoolMetrics(pool, "a")) {
            metrics.bindTo(registry);
            assertThat(space("farheap.pool.compared.time")).isNaN();
        }
    }

    private double space(String meter) {
        return registry.get(meter).tag("pool", "a").gauge().value();
    }

    @Test
    void spaceIsWhatTheHeapHasNow() {
        ObjectPool pool = pool("a.pool");
        new PoolMetrics(pool, "a").bindTo(registry);
        double used = space("farheap.heap.used");
        double free = space("farheap.heap.free");
        double largest = space("farheap.heap.largest.free");
        pool.transaction(tx -> tx.allocate(1 << 20, 1));
        assertThat(space("farheap.heap.used") - used).isBetween(1048576.0, 1572864.0);
        assertThat(space("farheap.heap.used") + space("farheap.heap.free")).isEqualTo(used + free);
        assertThat(space("farheap.heap.largest.free")).isLessThan(largest);
        assertThat(space("farheap.heap.largest.free"))
                .isEqualTo(pool.heap().space().largestFreeBytes());
        pool.close();
        assertThat(space("farheap.heap.free")).isNaN();
    }

    @Test
    void aScrapeCountsSpaceOnce() {
        try (ObjectPool pool = pool("a.pool")) {
            new PoolMetrics(pool, "a").bindTo(registry);
            pool.transaction(tx -> tx.allocate(1 << 20, 1));
            HeapSpace first = pool.heap().space();
            assertThat(space("farheap.heap.used")).isEqualTo(first.usedBytes());
            pool.transaction(tx -> tx.allocate(1 << 20, 1));
            HeapSpace second = pool.heap().space();
            assertThat(space("farheap.heap.free")).isEqualTo(first.freeBytes());
            assertThat(space("farheap.heap.largest.free")).isEqualTo(first.largestFreeBytes());
            assertThat(space("farheap.heap.free")).as("again").isEqualTo(second.freeBytes());
            assertThat(space("farheap.heap.used")).isEqualTo(second.usedBytes());
        }
    }

    @Test
    void twoPoolsAreToldApartAndTakenOut() {
        try (ObjectPool one = pool("a.pool");
                ObjectPool two = pool("b.pool")) {
            PoolMetrics first = new PoolMetrics(one, "a");
            PoolMetrics second = new PoolMetrics(two, "b");
            first.bindTo(registry);
            second.bindTo(registry);
            Ref root = two.root(8);
            double before = count("farheap.commits", "b");
            two.transaction(tx -> tx.setLong(root, 0, 1));
            assertThat(count("farheap.commits", "b")).isEqualTo(before + 1);
            assertThat(count("farheap.commits", "a")).isEqualTo(one.counters().commits());
            first.close();
            assertThat(registry.find("farheap.commits").tag("pool", "a").meters()).isEmpty();
            second.close();
            second.close();
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    @Test
    void aClosedPoolShowsWhatItCountedLast() {
        ObjectPool pool = pool("a.pool");
        new PoolMetrics(pool, "a").bindTo(registry);
        Ref root = pool.root(8);
        pool.transaction(tx -> tx.setLong(root, 0, 1));
        double last = count("farheap.commits", "a");
        assertThat(last).isPositive();
        pool.close();
        System.gc();
        assertThat(count("farheap.commits", "a")).isEqualTo(last);
        assertThat(count("farheap.fences", "a")).isPositive();
    }
}
