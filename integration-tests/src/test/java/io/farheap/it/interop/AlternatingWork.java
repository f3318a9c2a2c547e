package io.farheap.it.interop;

import io.farheap.ObjectPool;
import io.farheap.engine.TxSettings;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.testing.support.MemoryPool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that works on pools, a thread on each, in transactions and in lists, until each thread
 * made the flush or fence that was chosen for it; then the JVM is halted.
 */
final class AlternatingWork {
    static final int HALTED = 42;
    static final int STEPS = 30;
    private static final long BOUND_SECONDS = 60;
    private static final TxSettings SETTINGS =
            new TxSettings(Duration.ofSeconds(10), Duration.ofSeconds(10), 16);

    private AlternatingWork() {}

    /** Arguments: a seed, then a pool and after how many flushes and fences its work ends; more. */
    public static void main(String[] args) throws InterruptedException {
        long seed = Long.parseLong(args[0]);
        CountDownLatch atTheirEnds = new CountDownLatch((args.length - 1) / 2);
        for (int i = 1; i < args.length; i += 2) {
            Path file = Path.of(args[i]);
            int steps = Integer.parseInt(args[i + 1]);
            Thread.ofPlatform()
                    .uncaughtExceptionHandler(AlternatingWork::giveUp)
                    .start(() -> work(file, seed, new Countdown(steps, atTheirEnds)));
        }
        boolean all = atTheirEnds.await(BOUND_SECONDS, TimeUnit.SECONDS);
        Runtime.getRuntime().halt(all ? HALTED : 1);
    }

    private static void giveUp(Thread thread, Throwable failure) {
        failure.printStackTrace();
        Runtime.getRuntime().halt(2);
    }

    private static void work(Path file, long seed, Countdown countdown) {
        // Never closed: the process ends first.
        PoolFiles files = PoolFiles.open(PoolSource.of(file));
        countdown.beneath = files.memory();
        PoolMemory memory = new PoolMemory(files.memory().image(), countdown);
        ObjectPool pool = MemoryPool.open(memory, SETTINGS, files.poolId());
        RandomWorkload transactions = new RandomWorkload(pool, seed);
        LinkWork links = new LinkWork(pool, seed);
        countdown.running = true;
        for (int i = 0; i < STEPS; i++) {
            transactions.step();
            links.step();
        }
        countdown.end();
    }

    private static final class Countdown implements Persistence {
        private final CountDownLatch atTheirEnds;
        private PoolMemory beneath;
        private boolean running;
        private int left;

        Countdown(int steps, CountDownLatch atTheirEnds) {
            this.left = steps;
            this.atTheirEnds = atTheirEnds;
        }

        @Override
        public void flush(long offset, long length) {
            beneath.flush(offset, length);
            stepped();
        }

        @Override
        public void fence() {
            beneath.fence();
            stepped();
        }

        private void stepped() {
            if (running && --left == 0) {
                end();
            }
        }

        /** Nobody comes back from here. */
        private void end() {
            atTheirEnds.countDown();
            while (true) {
                LockSupport.park(this);
            }
        }
    }
}
