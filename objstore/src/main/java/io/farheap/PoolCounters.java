package io.farheap;

/**
 * What a pool did since it was opened.
 *
 * @param commits transactions that changed something and committed
 * @param readOnlyTransactions transactions that changed nothing
 * @param aborts transactions rolled back, for whatever reason
 * @param flushes write-backs started, log and allocator included
 * @param fences waits for the local medium
 * @param records records handed to the replicas
 * @param durabilityWaits waits for the replicas
 * @param workRequests writes and messages posted to the replicas
 * @param doorbells chains of them posted at once; fewer than records when commits are grouped
 * @param replicaBytes bytes that went to remote replicas, all together: right after the pool was
 *     opened, what bringing them up to date took
 */
public record PoolCounters(
        long commits,
        long readOnlyTransactions,
        long aborts,
        long flushes,
        long fences,
        long records,
        long durabilityWaits,
        long workRequests,
        long doorbells,
        long replicaBytes) {}
