package io.farheap.it.readers;

import io.farheap.ObjectPool;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Does what {@link ReaderProgram} does, on a pool of its own: it is told the same, waits for
 * nothing, and tells {@code open} and {@code seen SUMS 0 0 0}. Argument: the pool's poolset file.
 */
final class BystanderProgram {
    private final ObjectPool pool;
    private final AtomicLong sums = new AtomicLong();
    private volatile boolean over;

    private BystanderProgram(ObjectPool pool) {
        this.pool = pool;
    }

    public static void main(String[] args) throws Exception {
        try (ObjectPool pool = ObjectPool.openOrCreate(Path.of(args[0]), Accounts.LAYOUT)) {
            Accounts.create(pool);
            new BystanderProgram(pool).run();
        }
    }

    private void run() throws Exception {
        Thread summing = Thread.ofPlatform().start(this::sumUp);
        BufferedReader told =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = told.readLine();
        while (!line.equals("end")) {
            line = told.readLine();
        }
        over = true;
        summing.join();
        System.out.printf("seen %d 0 0 0%n", sums.get());
    }

    private void sumUp() {
        Random random = new Random();
        while (!over) {
            boolean slow = random.nextInt(ReaderProgram.SLOW_ONE_IN) == 0;
            long pause = slow ? random.nextInt(ReaderProgram.SLOW_MILLIS) * 1_000_000L : 0;
            long sum = Accounts.sum(pool, () -> LockSupport.parkNanos(pause));
            if (sum != Accounts.TOTAL) {
                throw new IllegalStateException("a sum of " + sum);
            }
            if (sums.incrementAndGet() == 1) {
                System.out.println("open");
            }
        }
    }
}
