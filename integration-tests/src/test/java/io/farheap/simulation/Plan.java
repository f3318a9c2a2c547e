package io.farheap.simulation;

import io.farheap.base.ReplicaPolicy;
import io.farheap.replication.stream.LagBound;
import java.time.Duration;
import java.util.Random;

/**
 * The measures of one history, all of them drawn from its seed.
 *
 * @param replicas how many, 1 to {@link Media#TARGETS}
 * @param threads how many commit
 * @param commits how many each thread makes
 * @param pointsPerSwitch see {@code World}
 * @param fastest nanoseconds that a message takes at least
 * @param slowest and at most, but for a few
 * @param troubles how many things go wrong
 * @param firstSync whether one of the targets has no replica yet
 * @param optional the replicas that the pool goes on without, as bits
 * @param takeOver whether a second initiator takes the replicas over
 * @param nativeOpen whether, while the program is down, another one changes the pool that knows
 *     nothing of replicas
 * @param promote whether a replica is promoted
 * @param async the replicas that commits don't wait for, as bits
 * @param lag how far those may be behind
 * @param longestPause microseconds between two commits of a thread
 * @param scrub whether the replicas are compared with the pool meanwhile
 */
record Plan(
        int replicas,
        int threads,
        int commits,
        int pointsPerSwitch,
        long fastest,
        long slowest,
        int troubles,
        boolean firstSync,
        int optional,
        boolean takeOver,
        boolean nativeOpen,
        boolean promote,
        int async,
        LagBound lag,
        int longestPause,
        boolean scrub) {
    /** The bounds that the initiator's settings have. */
    static final Duration COMMIT_TIMEOUT = Duration.ofMillis(300);

    static final Duration ATTACH_TIMEOUT = Duration.ofMillis(800);
    static final Duration WORK_TIMEOUT = Duration.ofSeconds(4);
    static final Duration HEARTBEAT = Duration.ofMillis(100);
    static final Duration LOCK_TIMEOUT = Duration.ofSeconds(20);

    private static final int SHORT_PAUSE = 2_000;

    /** So that the program lives long enough for what is done now and then. */
    private static final int LONG_PAUSE = 60_000;

    /** So that it lives on when replicas are back. */
    private static final int LONGEST_PAUSE = 200_000;

    /** Nothing goes wrong, and nothing is committed. */
    static Plan calm() {
        return new Plan(
                Media.TARGETS,
                1,
                0,
                1000,
                1000,
                2000,
                0,
                false,
                0,
                false,
                false,
                false,
                0,
                LagBound.DEFAULT,
                SHORT_PAUSE,
                false);
    }

    /**
     * Whether READs prove commits durable: in every fourth history. Drawn with the network's speed:
     * the other ones are what they were without it.
     */
    boolean isByReads() {
        return fastest % 4 == 0;
    }

    /**
     * Which share of what is asked of the disk with the dirty maps fails: 1 of so many; 0: none.
     */
    int mapFaults() {
        return optional == 0 && async == 0 ? 0 : mapFaults(fastest);
    }

    private static int mapFaults(long fastest) {
        return fastest % 4 == 0 ? 0 : new int[] {0, 4, 8, 30}[(int) (fastest / 4 % 4)];
    }

    /** Whether the local pool has a disk journal. */
    boolean isJournaled() {
        return fastest / 64 % 3 == 1;
    }

    /** Whether all is well again soon, as when a disk was full. */
    boolean isFullForAWhile() {
        return fastest / 16 % 2 == 0;
    }

    /** Whether maps can be made and read, and not be removed. */
    boolean keepsMapFiles() {
        return fastest / 32 % 3 == 0;
    }

    /** Whether a replica is away through several switches. */
    boolean isManyNumbersLong() {
        return fastest / 128 % 2 == 0;
    }

    /** What happens when that replica can't be waited for. */
    ReplicaPolicy policy(int replica) {
        if (isAsync(replica)) {
            return ReplicaPolicy.ASYNC;
        }
        return (optional & 1 << replica) != 0 ? ReplicaPolicy.DEGRADE : ReplicaPolicy.FAIL;
    }

    /** Whether commits don't wait for that replica. */
    boolean isAsync(int replica) {
        return (async & 1 << replica) != 0;
    }

    /** Whether every commit needs some replica. */
    boolean needsReplicas() {
        int all = (1 << replicas) - 1;
        return ((optional | async) & all) != all;
    }

    /** Whether the pool is in one place at a time, with no history but one. */
    boolean hasOneHistory() {
        return optional == 0 && async == 0;
    }

    /** Whether a replica is promoted in it, and nothing else makes a second pool. */
    boolean isPromoting() {
        return promote && hasOneHistory() && !takeOver && !nativeOpen;
    }

    /** Some in half of the histories that go on without replicas, and in a few others. */
    private static int someAsync(Random random, int optional) {
        return random.nextInt(optional == 0 ? 8 : 2) == 0 ? 1 + random.nextInt(7) : 0;
    }

    private static LagBound lag(Random random) {
        return new LagBound(
                new long[] {600, 3000, 1 << 20}[random.nextInt(3)],
                Duration.ofMillis(new long[] {3, 30, 120}[random.nextInt(3)]));
    }

    private static int pause(boolean lags, boolean absent) {
        return absent ? LONGEST_PAUSE : lags ? LONG_PAUSE : SHORT_PAUSE;
    }

    static Plan of(Random random) {
        long fastest = 2_000L + random.nextInt(60_000);
        int optional = random.nextBoolean() ? 0 : random.nextInt(1 << Media.TARGETS);
        int async = someAsync(random, optional);
        boolean absent = optional != 0 && mapFaults(fastest) > 0;
        return new Plan(
                1 + random.nextInt(Media.TARGETS),
                1 + random.nextInt(Cells.THREADS),
                4 + random.nextInt(22),
                new int[] {8, 40, 200, 1000}[random.nextInt(4)],
                fastest,
                fastest + random.nextInt(300_000),
                random.nextInt(7),
                random.nextInt(12) == 0,
                optional,
                random.nextInt(6) == 0,
                random.nextInt(4) == 0,
                random.nextInt(5) == 0,
                async,
                lag(random),
                pause(async != 0 && random.nextBoolean(), absent),
                random.nextInt(8) == 0);
    }
}
