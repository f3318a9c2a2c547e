package io.farheap.simulation;

import java.util.Random;

/**
 * What a history of a cluster is made of.
 *
 * @param nodes 3 to 5
 * @param minCopies the least number of copies
 * @param threads how many commit
 * @param troubles how many things go wrong
 * @param asks whether agents ask the store for the term
 * @param backups whether files of another time are put in place
 * @param restores whether the store is restored from a backup
 * @param loses whether a node is lost for good
 * @param longestPause between two commits of a thread, in milliseconds
 * @param async which node's copy commits don't wait for; -1: none
 */
record ClusterPlan(
        int nodes,
        int minCopies,
        int threads,
        int pointsPerSwitch,
        long fastest,
        long slowest,
        int troubles,
        boolean asks,
        boolean backups,
        boolean restores,
        boolean loses,
        int async,
        long longestPause,
        Script script) {
    /** A course of events that is rare where each of them comes by chance. */
    enum Script {
        NONE,

        /** A writer sleeps while others go on, and wakes when the newest writer is gone. */
        OLD_WRITER,

        /** A writer that the store has lost lives, and the newest writer gets its old files. */
        OLD_SUCCESSOR,

        /** The store alone has lost a writer that commits rarely. */
        LOST_STORE,

        /** A copy that commits don't wait for is far behind, and its node alone is up. */
        FAR_BEHIND,

        /** The store is restored from the time before a node was left out, which comes back. */
        RESTORED_STORE,

        /** A writer is gone whose last records have reached all copies but one. */
        UNEVEN,

        /** What a writer asks of the store is carried out late, and a copy is not reached. */
        LATE_STORE
    }

    private static Script script(Random random) {
        return switch (random.nextInt(18)) {
            case 0 -> Script.OLD_WRITER;
            case 1 -> Script.OLD_SUCCESSOR;
            case 2 -> Script.LOST_STORE;
            case 3 -> Script.RESTORED_STORE;
            case 4 -> Script.FAR_BEHIND;
            case 5 -> Script.UNEVEN;
            case 6 -> Script.LATE_STORE;
            default -> Script.NONE;
        };
    }

    /** Whether an asynchronous copy is far behind all the time. */
    boolean isFarBehind() {
        return script == Script.FAR_BEHIND || fastest % 2 == 0;
    }

    static ClusterPlan of(Random random) {
        Script script = script(random);
        boolean free = script == Script.NONE;
        int nodes = 3 + random.nextInt(3);
        boolean backups = free && random.nextInt(3) == 0;
        long fastest = 2_000L + random.nextInt(60_000);
        return new ClusterPlan(
                nodes,
                free ? 1 + random.nextInt(2) : 1,
                1 + random.nextInt(2),
                new int[] {40, 200, 1000}[random.nextInt(3)],
                fastest,
                fastest + random.nextInt(300_000),
                free ? 2 + random.nextInt(9) : 0,
                backups || script == Script.OLD_SUCCESSOR || random.nextBoolean(),
                backups,
                free && random.nextInt(6) == 0,
                free && random.nextInt(5) == 0,
                script == Script.FAR_BEHIND || free && random.nextInt(4) == 0
                        ? 1 + random.nextInt(nodes - 1)
                        : -1,
                new long[] {200, 1_000, 1_000, 9_000}
                        [
                        script == Script.LOST_STORE || script == Script.OLD_SUCCESSOR
                                ? 3
                                : random.nextInt(free ? 4 : 3)],
                script);
    }
}
