package io.farheap.remote;

/** What else {@link RemotePool#remove} may do. */
public enum RemoveOption {
    /**
     * RPMEM_REMOVE_FORCE: also files that are damaged; never those that a program there has open,
     * which librpmem removes, too.
     */
    FORCE,
    /** RPMEM_REMOVE_POOL_SET: the poolset file on the target, too. */
    POOL_SET
}
