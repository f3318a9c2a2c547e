package io.farheap.it.readers;

import io.farheap.ObjectPool;
import io.farheap.ReplicaPool;
import io.farheap.base.FarheapException;
import io.farheap.base.PoolPosition;
import io.farheap.base.SnapshotTooOldException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Sums up all the time, in one thread, and in another one waits for commits that it is told of.
 * Argument: the replica's poolset file. It is told {@code committed POSITION NUMBER} and, last,
 * {@code end}, and tells lines:
 *
 * <pre>
 * open                           after its first sum
 * wrong WHY                      a sum that never was, a commit that is not there; it ends
 * seen SUMS COMMITS EVICTED AGE  at the end: AGE is the greatest that it met, in milliseconds
 * </pre>
 */
final class ReaderProgram {
    private static final Duration BOUND = Duration.ofSeconds(20);
    static final int SLOW_ONE_IN = 20;
    static final int SLOW_MILLIS = 80;

    private final ReplicaPool copy;
    private final AtomicLong sums = new AtomicLong();
    private final AtomicLong evicted = new AtomicLong();
    private volatile long greatestAge;
    private volatile boolean over;

    private ReaderProgram(ReplicaPool copy) {
        this.copy = copy;
    }

    public static void main(String[] args) throws Exception {
        try (ReplicaPool copy = ObjectPool.openReplica(Path.of(args[0]), Accounts.LAYOUT)) {
            new ReaderProgram(copy).run();
        } catch (FarheapException e) {
            wrong(e.toString());
        }
    }

    private void run() throws Exception {
        Thread summing = Thread.ofPlatform().start(this::sumUp);
        BufferedReader told =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        long commits = 0;
        for (String line = told.readLine(); !line.equals("end"); line = told.readLine()) {
            String[] words = line.split(" ");
            requireSeen(PoolPosition.parse(words[1]), Long.parseLong(words[2]));
            commits++;
        }
        over = true;
        summing.join();
        System.out.printf("seen %d %d %d %d%n", sums.get(), commits, evicted.get(), greatestAge);
    }

    private void requireSeen(PoolPosition position, long number) {
        if (!copy.await(position, BOUND)) {
            wrong(position + " was not reached, but " + copy.position());
        }
        long seen = copy.read(Accounts::number);
        if (seen < number) {
            wrong("transaction " + number + " is not there, but " + seen + ", at " + position);
        }
    }

    private void sumUp() {
        Random random = new Random();
        long number = 0;
        try {
            while (!over) {
                number = sumUp(random.nextInt(SLOW_ONE_IN) == 0, random, number);
                if (sums.incrementAndGet() == 1) {
                    System.out.println("open");
                }
                greatestAge = Math.max(greatestAge, copy.age().toMillis());
            }
        } catch (RuntimeException e) {
            wrong(e.toString());
        }
    }

    private long sumUp(boolean slow, Random random, long before) {
        long pause = slow ? random.nextInt(SLOW_MILLIS) * 1_000_000L : 0;
        try {
            return copy.read(
                    view -> {
                        long number = Accounts.number(view);
                        long sum = Accounts.sum(view, () -> LockSupport.parkNanos(pause));
                        if (!view.position().equals(copy.position()) || sum != Accounts.TOTAL) {
                            view.check(); // else it is as it should never be
                        }
                        if (sum != Accounts.TOTAL) {
                            throw new IllegalStateException("a sum of " + sum);
                        }
                        if (number < before) {
                            throw new IllegalStateException(number + " after " + before);
                        }
                        return number;
                    });
        } catch (SnapshotTooOldException e) {
            evicted.getAndIncrement();
            return before;
        }
    }

    private static void wrong(String why) {
        System.out.println("wrong " + why);
        System.out.flush();
        Runtime.getRuntime().halt(3);
    }
}
