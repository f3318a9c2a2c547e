package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** One commit without a replica, in turns with libpmemobj's own of the same kind. */
final class LocalCommits {
    private static final int BATCH = 50_000;
    private static final int WARM_UP = 20_000;

    private LocalCommits() {}

    static void run(Site site, int batches) throws IOException, InterruptedException {
        Histogram ours = Figures.histogram();
        Histogram theirs = Figures.histogram();
        Optional<NativeProgram> library = NativeProgram.compile(site, "operations");
        try (ObjectPool pool = site.openLocal(false)) {
            SmallCommit commit = new SmallCommit(pool);
            Histogram warmUp = Figures.histogram();
            for (int i = 0; i < 4; i++) {
                commit(commit, warmUp);
            }
            for (int batch = 0; batch < batches; batch++) {
                commit(commit, ours);
                if (library.isPresent()) {
                    library.get()
                            .run(
                                    line -> theirs.recordValue(Long.parseLong(line)),
                                    "tx64",
                                    site.nativePool(false),
                                    1,
                                    WARM_UP,
                                    BATCH);
                }
            }
            Figures.circumstances(Site.waiting(), 1);
            Figures.text("persistence domain: %s", pool.persistenceDomain());
        }
        Figures.line("64 B transaction", ours);
        if (library.isPresent()) {
            Figures.line("the same by libpmemobj, in C", theirs);
            Figures.ratio("ratio", ours, theirs);
        } else {
            Figures.text(NativeProgram.MISSING);
        }
    }

    private static void commit(SmallCommit commit, Histogram times) {
        for (int i = 0; i < BATCH; i++) {
            long begin = System.nanoTime();
            commit.run();
            times.recordValue(System.nanoTime() - begin);
        }
    }
}
