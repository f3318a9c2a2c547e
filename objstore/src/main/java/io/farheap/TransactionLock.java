package io.farheap;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Isolation between transactions: taken by {@link Transaction#lock}, given back when the commit is
 * acknowledged or everything is rolled back, never earlier. Lives in DRAM; what it protects is the
 * caller's convention. A lock of the JDK released inside the lambda would let another transaction
 * build on what may still be rolled back.
 */
public final class TransactionLock {
    final ReentrantLock lock = new ReentrantLock();

    /** A lock that nobody holds. */
    public TransactionLock() {}
}
