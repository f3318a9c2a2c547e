package io.farheap.base;

/**
 * What happens to commits when a remote replica can't be reached
 * (docs/protocol.md#when-a-replica-is-lost).
 */
public enum ReplicaPolicy {
    /**
     * The waiting commits are rolled back and throw {@link CommitUnknownException}, and commits are
     * refused until the replica is back or is taken out of the poolset file. A pool is not opened
     * while it can't be reached. Whatever returned is on the replica, always.
     */
    FAIL,
    /**
     * The pool goes on without it: the waiting commits become durable on the others, or here alone
     * where there is no other. Before the first of them the replica can't pass for current any
     * more; what changes from then on is noted, durably, and the replica is looked for and brought
     * up to date without the application noticing. Whatever returned is on every replica that is
     * {@link ReplicaStatus.State#ATTACHED}.
     */
    DEGRADE,
    /**
     * As {@link #DEGRADE}, and commits don't wait for it at all: they return once they are durable
     * here, and on those replicas that they wait for. It gets the same records in the same order a
     * little later, so that its copy is at a commit boundary, and lacks at most what {@link
     * ReplicaStatus#lagBytes} and {@link ReplicaStatus#lag} say. How far it may lag is set
     * (docs/settings.md, lag-bytes and lag-time); then commits wait until it has caught up, and
     * when that takes too long it counts as lost.
     */
    ASYNC
}
