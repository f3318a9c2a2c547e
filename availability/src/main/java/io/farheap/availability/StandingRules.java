package io.farheap.availability;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When a node stands for a pool's next writer (docs/high-availability.md#when-to-stand). That is a
 * matter of time and manners only: whether the node may take over says the record, when it stands.
 *
 * <p>A clock decides how long something has lasted, and nothing else. For one thread.
 */
final class StandingRules {
    /** How long the recorded writer's own node has it to itself. */
    static final Duration WRITER_FIRST = Duration.ofSeconds(3);

    /** And the node that a person has named. */
    static final Duration ORDERED_FIRST = Duration.ofSeconds(10);

    /** Of each step of the priority. */
    static final Duration STEP = Duration.ofMillis(500);

    /** So long a writer that the store has lost may commit nothing here. */
    static final Duration STILL = Duration.ofSeconds(5);

    private static final int MOST_RANDOM_MILLIS = 300;

    /** Longer than others wait for the recorded writer's node: it is their turn then. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(4);

    static final Duration LONGEST_PAUSE = Duration.ofSeconds(16);

    /** How soon a change that the store does not tell of is seen. */
    static final Duration LOOK_AGAIN = Duration.ofMillis(500);

    /** The failure before it says more. */
    static final String AFTER_A_PAUSE = "this node tries again after a pause";

    private static final Duration UNTIL_A_HINT = Duration.ofDays(1);

    private final String node;
    private final Duration delay;
    private boolean free;
    private Held lastHeld = Held.BY_NOBODY;
    private long stillSince;
    private long freeSince;
    private Duration pause = FIRST_PAUSE;
    private boolean pausing;
    private long pausedUntil;

    /**
     * @param priority 0 or more; higher ones leave lower ones some time
     */
    StandingRules(String node, int priority, RandomGenerator random) {
        this.node = node;
        this.delay =
                STEP.multipliedBy(priority)
                        .plus(Duration.ofMillis(random.nextInt(MOST_RANDOM_MILLIS + 1)));
    }

    /**
     * What to do now.
     *
     * @param why a sentence that stays the same as long as the reason does; empty: stand
     * @param atMost how long until the next look, unless the store says before that something has
     *     changed
     */
    record Decision(String why, Duration atMost) {
        boolean stands() {
            return why.isEmpty();
        }
    }

    /** What follows from what is seen. */
    Decision decide(Sight sight, long nowNanos) {
        if (sight.record().isEmpty()) {
            return wait(
                    "there is no record of the pool yet: its first writer makes it, a program that"
                            + " calls HighAvailability.create, once and without waiting");
        }
        ClusterRecord record = sight.record().get();
        if (sight.lead().isPresent()) {
            return wait(whoWrites(sight.lead().get()));
        }
        if (!record.set().contains(node)) {
            return wait(
                    "waiting for one of "
                            + String.join(", ", record.set())
                            + ": only their copies have every commit");
        }
        if (sight.orders().paused()) {
            return wait("take-overs are paused: farheap ha resume lets them go on");
        }
        if (!sight.held().isByNobody() && !isStill(sight.held(), nowNanos)) {
            free = false;
            return new Decision(
                    "no writer is seen in the store, and yet one has the copy here: "
                            + sight.held().who(),
                    LOOK_AGAIN);
        }
        if (!free) {
            free = true;
            freeSince = nowNanos;
        }
        return amongThoseThatMay(sight, record, nowNanos);
    }

    private String whoWrites(Lead lead) {
        return !lead.isElsewhere(node)
                ? lead.node() + " writes"
                : String.format(
                        "%s writes, on another machine than this one or before its last start"
                                + " (%s, and this is %s): that goes within its ttl, or two machines"
                                + " have the node name %s; farheap ha status shows which is"
                                + " announced",
                        node, lead, MachineBoot.HERE, node);
    }

    /** Nothing was committed for long, by a writer that commits wait for this copy of. */
    private boolean isStill(Held held, long nowNanos) {
        if (!held.takesRecords() || !held.equals(lastHeld)) {
            lastHeld = held;
            stillSince = nowNanos;
        }
        return held.takesRecords() && nowNanos - stillSince >= STILL.toNanos();
    }

    /** The store did not answer: what happened meanwhile is not known. */
    void sawNothing() {
        lastHeld = Held.BY_NOBODY;
    }

    private Decision wait(String why) {
        free = false;
        lastHeld = Held.BY_NOBODY;
        return new Decision(why, UNTIL_A_HINT);
    }

    private Decision amongThoseThatMay(Sight sight, ClusterRecord record, long nowNanos) {
        String ordered = sight.orders().to().orElse("");
        if (pausing && pausedUntil - nowNanos > 0) {
            return until(pausedUntil, nowNanos, AFTER_A_PAUSE);
        }
        if (ordered.equals(node)) {
            return stand();
        }
        if (!ordered.isEmpty() && left(ORDERED_FIRST, nowNanos) > 0) {
            return until(
                    freeSince + ORDERED_FIRST.toNanos(),
                    nowNanos,
                    ordered + " is to be the next writer, by a person's order");
        }
        if (sight.writerWaits() && left(WRITER_FIRST, nowNanos) > 0) {
            return until(
                    freeSince + WRITER_FIRST.toNanos(),
                    nowNanos,
                    record.writer() + " wrote last and is about to go on");
        }
        if (!record.writer().equals(node) && left(delay, nowNanos) > 0) {
            return until(freeSince + delay.toNanos(), nowNanos, "nobody writes");
        }
        return stand();
    }

    private static Decision stand() {
        return new Decision("", Duration.ZERO);
    }

    private long left(Duration since, long nowNanos) {
        return freeSince + since.toNanos() - nowNanos;
    }

    private static Decision until(long nanos, long nowNanos, String why) {
        Duration left = Duration.ofNanos(nanos - nowNanos);
        return new Decision(why, left.compareTo(LOOK_AGAIN) < 0 ? left : LOOK_AGAIN);
    }

    /** A turn was tried and came to nothing. */
    void failed(long nowNanos) {
        free = false;
        pausing = true;
        pausedUntil = nowNanos + pause.toNanos();
        pause = pause.multipliedBy(2);
        pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
    }
}
