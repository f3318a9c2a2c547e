package io.farheap.objects.schema;

/**
 * A sum in the pool that many threads add to without conflicts; thread-safe. Inside a transaction
 * or read each call is part of that; outside, each call is one of its own, durable when it returns.
 */
public interface PersistentCounter {
    /** Adds an amount, negative ones too; wraps around as {@code long} does. */
    void add(long amount);

    /** Adds 1. */
    default void increment() {
        add(1);
    }

    /** The exact sum; a transaction that asks conflicts with all that add meanwhile. */
    long get();
}
