package io.farheap.base;

/**
 * What becomes of a transaction in which a call fails (libpmemobj: {@code enum
 * pobj_tx_failure_behavior}). The call throws in either case. Calls are meant that change
 * something: values, snapshots, allocations; not reads, and not taking locks.
 */
public enum FailureBehavior {
    /** It is aborted at once, also when the exception is caught inside. The default. */
    ABORT,
    /** It goes on as if the call had not been made, for code that catches the exception. */
    RETURN
}
