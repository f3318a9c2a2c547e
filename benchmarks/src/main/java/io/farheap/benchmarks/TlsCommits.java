package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.PoolOptionsBuilder;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Commits with one replica whose data connection is within TLS, beside plain ones through the same
 * agent and through one that was started for it: short batches of each in turn, in one process.
 */
final class TlsCommits {
    private static final int SMALL = 256;
    private static final int LARGE = 64 << 10;
    private static final int SETTLING = 50;
    private static final int TYPE = 1;
    private static final String LAYOUT = "benchmark";

    /** One pool, and the times of its commits. */
    private record Side(ObjectPool pool, long object, Histogram small, Histogram large)
            implements AutoCloseable {
        @Override
        public void close() {
            pool.close();
        }
    }

    private TlsCommits() {}

    static void run(Site site, int batches) throws IOException, InterruptedException {
        WaitStrategy waiting = Site.waiting();
        List<String> options =
                List.of(
                        "--spin",
                        String.valueOf(waiting.spinNanos() / 1000),
                        "--yield",
                        String.valueOf(waiting.yieldNanos() / 1000));
        Path target = site.directory().resolve("target");
        try (AgentHere agent = AgentHere.start(site.directory(), target, null, options)) {
            Map<String, Side> sides = new LinkedHashMap<>();
            try {
                sides.put("plain, an agent of its own", open(site, target, "own", Map.of(), ""));
                sides.put(
                        "plain, through one that listens",
                        open(site, target, "plain", agent.settings(), "plain"));
                sides.put(
                        "within TLS, through one that listens",
                        open(site, target, "tls", agent.settings(), "direct"));
                measure(sides, batches);
                Figures.circumstances(waiting, 1);
                sides.forEach(
                        (name, side) -> {
                            Figures.line("256 B, " + name, side.small());
                            Figures.line("64 KiB, " + name, side.large());
                            Figures.text(
                                    "64 KiB commits, one after the other: %.0f MB/s",
                                    LARGE * 1e3 / side.large().getMean());
                        });
            } finally {
                sides.values().forEach(Side::close);
            }
        }
    }

    private static Side open(
            Site site, Path target, String name, Map<String, String> settings, String data)
            throws IOException {
        Path set = site.directory().resolve("commits-" + name + ".set");
        Files.writeString(
                set,
                "PMEMPOOLSET\n64M %s\nREPLICA localhost commits-%s.set\n"
                        .formatted(site.directory().resolve("commits-" + name + ".part"), name));
        Files.writeString(
                target.resolve("commits-" + name + ".set"),
                "PMEMPOOLSET\n64M %s\n".formatted(target.resolve("commits-" + name + ".part")));
        PoolOptionsBuilder options = PoolOptions.builder();
        settings.forEach(options::replication);
        if (!data.isEmpty()) {
            options.replication("FARHEAP_DATA", data);
        }
        ObjectPool pool = ObjectPool.at(set).layout(LAYOUT).options(options.build()).openOrCreate();
        long object = pool.compute(tx -> tx.raw().allocate(LARGE, TYPE, true));
        return new Side(pool, object, Figures.histogram(), Figures.histogram());
    }

    private static void measure(Map<String, Side> sides, int batches) {
        List<Side> all = new ArrayList<>(sides.values());
        MemorySegment value = Arena.ofAuto().allocate(LARGE, Long.BYTES);
        for (int batch = -batches / 2; batch < batches; batch++) {
            for (Side side : all) {
                if (batch == 0) {
                    side.small().reset();
                    side.large().reset();
                }
                commit(side, value, SMALL, 4 * SETTLING, side.small());
                commit(side, value, LARGE, SETTLING, side.large());
            }
        }
    }

    private static void commit(
            Side side, MemorySegment value, int bytes, int count, Histogram times) {
        for (int i = -SETTLING; i < count; i++) {
            long begin = System.nanoTime();
            side.pool().transaction(tx -> tx.raw().writeBytes(side.object(), 0, value, 0, bytes));
            long time = System.nanoTime() - begin;
            if (i >= 0) {
                times.recordValue(time);
            }
        }
    }
}
