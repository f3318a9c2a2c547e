package io.farheap.simulation;

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
        boolean promote) {
    /** The bounds that the initiator's settings have. */
    static final Duration COMMIT_TIMEOUT = Duration.ofMillis(300);

    static final Duration ATTACH_TIMEOUT = Duration.ofMillis(800);
    static final Duration WORK_TIMEOUT = Duration.ofSeconds(4);
    static final Duration HEARTBEAT = Duration.ofMillis(100);
    static final Duration LOCK_TIMEOUT = Duration.ofSeconds(20);

    /** Whether the pool goes on without that replica. */
    boolean isOptional(int replica) {
        return (optional & 1 << replica) != 0;
    }

    /** Whether every commit needs some replica. */
    boolean needsReplicas() {
        int all = (1 << replicas) - 1;
        return (optional & all) != all;
    }

    /** Whether the pool is in one place at a time, with no history but one. */
    boolean hasOneHistory() {
        return optional == 0;
    }

    /** Whether a replica is promoted in it, and nothing else makes a second pool. */
    boolean isPromoting() {
        return promote && hasOneHistory() && !takeOver && !nativeOpen;
    }

    static Plan of(Random random) {
        long fastest = 2_000L + random.nextInt(60_000);
        return new Plan(
                1 + random.nextInt(Media.TARGETS),
                1 + random.nextInt(Cells.THREADS),
                4 + random.nextInt(22),
                new int[] {8, 40, 200, 1000}[random.nextInt(4)],
                fastest,
                fastest + random.nextInt(300_000),
                random.nextInt(7),
                random.nextInt(12) == 0,
                random.nextBoolean() ? 0 : random.nextInt(1 << Media.TARGETS),
                random.nextInt(6) == 0,
                random.nextInt(4) == 0,
                random.nextInt(5) == 0);
    }
}
