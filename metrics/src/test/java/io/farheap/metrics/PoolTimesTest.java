package io.farheap.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each commit of each pool is in a timer, with how long it took. */
class PoolTimesTest {
    private static final int COMMITS = 50;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @TempDir private Path directory;

    private Timer timer(String name, Path place) {
        return registry.find(name).tag("pool", place.toString()).timer();
    }

    @Test
    void commitsSyncsAndCheckpointsAreTimed() {
        Path file = directory.resolve("a.pool");
        Path journal = directory.resolve("a.pool.disk-journal");
        PoolOptions options = PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
        try (PoolTimes times = new PoolTimes()) {
            times.bindTo(registry);
            try (ObjectPool pool =
                    ObjectPool.at(file).layout("").size(8 << 20).options(options).create()) {
                Ref root = pool.root(8);
                for (int i = 0; i < COMMITS; i++) {
                    int value = i;
                    pool.transaction(tx -> tx.setLong(root, 0, value));
                }
            }
            await().until(() -> timer("farheap.commit", file) != null);
            await().until(() -> timer("farheap.commit", file).count() >= COMMITS);
            assertThat(timer("farheap.commit", file).totalTime(TimeUnit.SECONDS))
                    .isBetween(1e-6, 60.0);
            await().until(() -> timer("farheap.disk.sync", journal) != null);
            assertThat(timer("farheap.disk.sync", journal).count()).isPositive();
        }
    }
}
