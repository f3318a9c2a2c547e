package io.farheap.availability.coordinator;

/** Calls when something may have changed, until it is closed. */
public interface Watch extends AutoCloseable {
    /** No call begins after this. */
    @Override
    void close();
}
