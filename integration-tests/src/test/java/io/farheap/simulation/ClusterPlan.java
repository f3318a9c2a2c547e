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
        long longestPause) {
    static ClusterPlan of(Random random) {
        int nodes = 3 + random.nextInt(3);
        boolean backups = random.nextInt(3) == 0;
        long fastest = 2_000L + random.nextInt(60_000);
        return new ClusterPlan(
                nodes,
                1 + random.nextInt(2),
                1 + random.nextInt(2),
                new int[] {40, 200, 1000}[random.nextInt(3)],
                fastest,
                fastest + random.nextInt(300_000),
                2 + random.nextInt(9),
                backups || random.nextBoolean(),
                backups,
                random.nextInt(8) == 0,
                random.nextInt(5) == 0,
                random.nextInt(4) == 0 ? 1 + random.nextInt(nodes - 1) : -1,
                new long[] {200, 1_000, 1_000, 9_000}[random.nextInt(4)]);
    }
}
