package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** One commit without a replica, in turns with libpmemobj's own of the same kind. */
final class LocalCommits {
    private static final int BATCH = 50_000;

    private LocalCommits() {}

    static void run(Site site, int batches) throws IOException, InterruptedException {
        Histogram ours = Figures.histogram();
        Histogram theirs = Figures.histogram();
        Optional<NativeCommits> library = NativeCommits.compile(site.directory());
        try (ObjectPool pool = site.openLocal()) {
            SmallCommit commit = new SmallCommit(pool);
            Histogram warmUp = Figures.histogram();
            for (int i = 0; i < 4; i++) {
                commit(commit, warmUp);
            }
            for (int batch = 0; batch < batches; batch++) {
                commit(commit, ours);
                if (library.isPresent()) {
                    library.get().run(BATCH, theirs);
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
            Figures.text("libpmemobj beside it: not measured, needs gcc and libpmemobj-dev");
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
