package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.base.AllocationOptions;
import io.farheap.base.FarheapException;
import io.farheap.pmemobj.AtomicObjects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * Objects of mixed sizes come and go in a pool that is kept nearly full: how often it has no room,
 * where one goes before the next comes, how long an allocation or a free takes, and how much fits
 * in the end; beside {@code age.c}.
 */
final class AgedHeap {
    private static final int MEBIBYTES = 256;
    private static final int[] PERCENT = {70, 80, 90};
    private static final int EVERY = 64;
    private static final int TYPE = 1;
    private static final int REFUSALS = 1000;

    /** From 64 bytes to 32 KiB, each doubling as often as another. */
    private static final int SMALLEST = 6;

    private static final int DOUBLINGS = 9;

    /** What one side tells. */
    private static final class Side {
        private final Histogram times = Figures.histogram();
        private long refused;
        private double live;
        private long fits;

        void take(String line) {
            if (line.startsWith("refused ")) {
                refused = Long.parseLong(line.substring("refused ".length()));
            } else if (line.startsWith("live ")) {
                live = Double.parseDouble(line.substring("live ".length()));
            } else if (line.startsWith("fits ")) {
                fits = Long.parseLong(line.substring("fits ".length()));
            } else {
                times.recordValue(Long.parseLong(line));
            }
        }

        void print(String name, long bytes) {
            Figures.text(
                    "%-14s live %5.1f %%, refused %,10d, fits in the end %5.1f %%   p50 %6.2f µs  p99"
                            + " %7.2f µs",
                    name,
                    100 * live / bytes,
                    refused,
                    100.0 * fits / bytes,
                    Figures.micros(times, 50),
                    Figures.micros(times, 99));
        }
    }

    private final long bytes;
    private final long most;
    private final long[] objects;
    private final long[] sizes;
    private int used;
    private long live;
    private long seed = 88172645463325252L;

    private AgedHeap(long bytes, int percent) {
        this.bytes = bytes;
        this.most = bytes / 100 * percent;
        objects = new long[(int) (bytes / 64)];
        sizes = new long[objects.length];
    }

    /**
     * @param operations of each side, allocations and frees together, for each degree of fullness
     */
    static void run(Site site, int operations) throws IOException, InterruptedException {
        Figures.load();
        Optional<NativeProgram> program = NativeProgram.compile(site, "age");
        long bytes = (long) MEBIBYTES << 20;
        for (int percent : PERCENT) {
            Figures.text(
                    "%,d allocations and frees of 64 B to 32 KiB, at most %d %% of %d MiB live",
                    operations, percent, MEBIBYTES);
            Path file = site.directory().resolve("age.pool");
            Side ours = new AgedHeap(bytes, percent).age(file, operations);
            ours.print("Farheap", bytes);
            Files.delete(file);
            if (program.isEmpty()) {
                Figures.text(NativeProgram.MISSING);
                continue;
            }
            Side theirs = new Side();
            program.get().run(theirs::take, file, MEBIBYTES, operations, percent);
            theirs.print("libpmemobj", bytes);
            Files.delete(file);
            Figures.text(
                    "ratio: fits %.2f   p50 %.2f   p99 %.2f",
                    (double) ours.fits / theirs.fits,
                    Figures.micros(ours.times, 50) / Figures.micros(theirs.times, 50),
                    Figures.micros(ours.times, 99) / Figures.micros(theirs.times, 99));
        }
    }

    private Side age(Path file, int operations) {
        Side side = new Side();
        try (ObjectPool pool = ObjectPool.at(file).layout("benchmark").size(bytes).create()) {
            AtomicObjects atomic = pool.atomic();
            double sum = 0;
            boolean isFull = false; // the last one was refused: one goes before the next comes
            for (int i = 0; i < operations; i++) {
                long wanted = size();
                long begin = System.nanoTime();
                if (!isFull && live + wanted <= most) {
                    isFull = !allocate(atomic, wanted);
                    side.refused += isFull ? 1 : 0;
                } else {
                    isFull = false;
                    free(atomic);
                }
                if (i % EVERY == 0) {
                    side.times.recordValue(System.nanoTime() - begin);
                }
                sum += live;
            }
            side.live = sum / operations;
            int refused = 0;
            while (refused < REFUSALS) {
                refused += allocate(atomic, size()) ? 0 : 1;
            }
            side.fits = live;
        }
        return side;
    }

    private boolean allocate(AtomicObjects atomic, long wanted) {
        try {
            objects[used] = atomic.allocateOffset(0, 0, wanted, TYPE, AllocationOptions.DEFAULT);
        } catch (FarheapException full) {
            if (full.category() != FarheapException.Category.ENVIRONMENT) {
                throw full;
            }
            return false;
        }
        sizes[used++] = wanted;
        live += wanted;
        return true;
    }

    private void free(AtomicObjects atomic) {
        int which = (int) next(used);
        atomic.free(objects[which]);
        live -= sizes[which];
        used--;
        objects[which] = objects[used];
        sizes[which] = sizes[used];
    }

    /** The same numbers as on the other side. */
    private long next(long bound) {
        seed ^= seed << 13;
        seed ^= seed >>> 7;
        seed ^= seed << 17;
        return (seed >>> 1) % bound;
    }

    private long size() {
        long least = 1L << SMALLEST + next(DOUBLINGS);
        return least + next(least);
    }
}
