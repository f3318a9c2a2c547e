package io.farheap.metrics;

import java.util.Map;

/**
 * An open pool as JMX shows it: counters since it was opened (as {@link io.farheap.PoolCounters}),
 * and its remote replicas by their names in the poolset file.
 */
public interface PoolMXBean {
    /** The pool's layout. */
    String getLayout();

    /** How stores become durable. */
    String getPersistenceDomain();

    /** The pool's number, which grows with every change of its replicas; -1: it is closed. */
    long getNumber();

    /** Transactions that changed something and committed. */
    long getCommits();

    /** Transactions that changed nothing. */
    long getReadOnlyTransactions();

    /** Transactions rolled back. */
    long getAborts();

    /** Write-backs started. */
    long getFlushes();

    /** Waits for the local medium. */
    long getFences();

    /** Records handed to the replicas. */
    long getRecords();

    /** Waits for the replicas. */
    long getDurabilityWaits();

    /** Chains of work requests that were posted to the replicas. */
    long getDoorbells();

    /** Bytes that went to remote replicas. */
    long getReplicaBytes();

    /** Waits for the disk journal. */
    long getDiskSyncs();

    /** Bytes that were written for them. */
    long getDiskBytes();

    /** Times that the disk journal was brought to the pool files. */
    long getCheckpoints();

    /** Pages that were written for these. */
    long getCheckpointPages();

    /** Times that a thread waited as the disk journal was full. */
    long getDiskWaits();

    /**
     * When the last comparison of all remote replicas with the pool ended, seconds since 1970; -1:
     * none has since it was opened, or it is closed.
     */
    long getComparedTimeSeconds();

    /**
     * Bytes of the heap in use; -1: not known, as the pool is closed. The heap's space is counted
     * once for whoever reads several of these one after the other, within five seconds.
     */
    long getHeapUsedBytes();

    /** Bytes of the heap that are free; -1: not known. */
    long getHeapFreeBytes();

    /** Bytes of the heap's largest free block; -1: not known. */
    long getHeapLargestFreeBytes();

    /** The state of each remote replica, with the reason. */
    Map<String, String> getReplicas();

    /** By replica, how many bytes differ from the pool at most; -1: not known. */
    Map<String, Long> getReplicaLagBytes();

    /** By replica, for how many seconds it has been without what was committed. */
    Map<String, Double> getReplicaLagSeconds();

    /** By replica, how many ranges were compared and are not the pool's. */
    Map<String, Integer> getReplicaDifferences();
}
