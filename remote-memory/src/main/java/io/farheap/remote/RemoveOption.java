package io.farheap.remote;

/** What else {@link RemotePool#remove} may do. */
public enum RemoveOption {
    /** RPMEM_REMOVE_FORCE: also files that are damaged, or that a program there has open. */
    FORCE,
    /** RPMEM_REMOVE_POOL_SET: the poolset file on the target, too. */
    POOL_SET
}
