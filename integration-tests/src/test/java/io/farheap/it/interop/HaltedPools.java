package io.farheap.it.interop;

import io.farheap.ObjectPool;
import io.farheap.engine.TxSettings;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.testing.support.MemoryPool;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneInspection;
import io.farheap.ulog.LogState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A program that works in several pools, a thread in each, until each thread stands at a fence that
 * was chosen for it; then the JVM is halted. The fences are those at which a log of the wanted kind
 * is valid: every even pool's undo log, every odd pool's redo log.
 */
final class HaltedPools {
    static final int HALTED = 42;

    private static final long POOL_BYTES = 16L << 20;
    private static final long BOUND_SECONDS = 60;

    /** Lanes in use: few, so that looking at all of them at each fence is quick. */
    private static final int LANES = 4;

    private static final TxSettings SETTINGS =
            new TxSettings(Duration.ofSeconds(10), Duration.ofSeconds(10), LANES);

    private HaltedPools() {}

    static PoolDirectory directory(Path parent, int index) {
        return new PoolDirectory(parent.resolve("pool-" + index));
    }

    static LogState.Kind wanted(int index) {
        return index % 2 == 0 ? LogState.Kind.UNDO : LogState.Kind.EXTERNAL;
    }

    /** Arguments: the directory, how many pools, a seed. */
    public static void main(String[] args) throws Exception {
        Path parent = Path.of(args[0]);
        int count = Integer.parseInt(args[1]);
        long seed = Long.parseLong(args[2]);
        CountDownLatch atTheirFences = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            int index = i;
            create(parent, index);
            Thread.ofPlatform()
                    .uncaughtExceptionHandler(HaltedPools::giveUp)
                    .start(() -> work(parent, index, seed + index, atTheirFences));
        }
        boolean all = atTheirFences.await(BOUND_SECONDS, TimeUnit.SECONDS);
        Runtime.getRuntime().halt(all ? HALTED : 1);
    }

    private static void giveUp(Thread thread, Throwable failure) {
        failure.printStackTrace();
        Runtime.getRuntime().halt(2);
    }

    /** Every fourth pool is a set of two parts with a local replica. */
    private static void create(Path parent, int index) throws IOException {
        Path directory = directory(parent, index).directory();
        if (index % 4 < 2) {
            Path file = PoolDirectory.forFile(directory).pool();
            ObjectPool.at(file).layout("halted").size(POOL_BYTES).create().close();
        } else {
            String lines = "8M @/part0\n9M @/part1\nREPLICA\n18M @/mirror";
            ObjectPool.create(PoolDirectory.forSet(directory, lines).pool(), "halted").close();
        }
    }

    private static void work(Path parent, int index, long seed, CountDownLatch atTheirFences) {
        Random random = new Random(seed);
        // Never closed: the process ends first.
        PoolFiles files = PoolFiles.open(PoolSource.of(directory(parent, index).pool()));
        PoolMemory beneath = files.memory();
        HaltingPersistence halting =
                new HaltingPersistence(beneath, wanted(index), random, atTheirFences);
        PoolMemory memory = new PoolMemory(beneath.image(), halting);
        ObjectPool pool = MemoryPool.open(memory, SETTINGS, files.poolId());
        RandomWorkload workload = new RandomWorkload(pool, seed);
        workload.run(5 + random.nextInt(20));
        halting.close();
        while (true) {
            workload.step();
        }
    }

    /** Lets fences pass until the chosen one; nobody comes through that. */
    private static final class HaltingPersistence implements Persistence {
        private final PoolMemory beneath;
        private final LogState.Kind wanted;
        private final CountDownLatch atTheirFences;
        private final LaneInspection logs;
        private final boolean afterTheFence;
        private final boolean extended;
        private int passing;
        private boolean closed;

        HaltingPersistence(
                PoolMemory beneath,
                LogState.Kind wanted,
                Random random,
                CountDownLatch atTheirFences) {
            this.beneath = beneath;
            this.wanted = wanted;
            this.atTheirFences = atTheirFences;
            logs = new LaneInspection(new LaneArea(beneath));
            afterTheFence = random.nextBoolean();
            extended = random.nextInt(3) == 0;
            passing = random.nextInt(12);
        }

        /** From now on one of the next fences is the last. */
        void close() {
            closed = true;
        }

        @Override
        public void flush(long offset, long length) {
            beneath.flush(offset, length);
        }

        @Override
        public void fence() {
            if (closed && isWanted() && passing-- == 0) {
                if (afterTheFence) {
                    beneath.fence();
                }
                atTheirFences.countDown();
                standStill();
            }
            beneath.fence();
        }

        private boolean isWanted() {
            for (int lane = 0; lane < LANES; lane++) {
                for (LogState log : logs.logs(lane)) {
                    if (log.kind() == wanted && log.needsRecovery()) {
                        return !extended || !log.extensions().isEmpty();
                    }
                }
            }
            return false;
        }

        private static void standStill() {
            CountDownLatch never = new CountDownLatch(1);
            while (true) {
                try {
                    never.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
