package io.farheap;

import java.util.LinkedHashMap;
import java.util.Map;

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
 * @param diskSyncs writes of the disk journal that were waited for, each for all threads that had
 *     something in it; 0, as all that follow, without such a journal
 * @param diskBytes that they wrote, with what fills blocks and the end of the ring
 * @param checkpoints times that what the disk journal had was brought to the pool files
 * @param checkpointPages of 4096 bytes that those wrote
 * @param diskWaits times that a thread waited for a checkpoint, as the disk journal was full
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
        long replicaBytes,
        long diskSyncs,
        long diskBytes,
        long checkpoints,
        long checkpointPages,
        long diskWaits) {
    /** By the names of the components. */
    Map<String, Long> byName() {
        Map<String, Long> named = new LinkedHashMap<>();
        named.put("commits", commits);
        named.put("readOnlyTransactions", readOnlyTransactions);
        named.put("aborts", aborts);
        named.put("flushes", flushes);
        named.put("fences", fences);
        named.put("records", records);
        named.put("durabilityWaits", durabilityWaits);
        named.put("workRequests", workRequests);
        named.put("doorbells", doorbells);
        named.put("replicaBytes", replicaBytes);
        named.put("diskSyncs", diskSyncs);
        named.put("diskBytes", diskBytes);
        named.put("checkpoints", checkpoints);
        named.put("checkpointPages", checkpointPages);
        named.put("diskWaits", diskWaits);
        return named;
    }
}
