package io.farheap.replication.control;

/** The agent at the far end of two streams, however it was started. Thread-safe. */
public interface ControlTransport extends AutoCloseable {
    LineChannel channel();

    /** How it ended, in one line; empty where nothing is known. Waits a moment for the end. */
    String lastWords() throws InterruptedException;

    /** Whether it is known to have ended. */
    default boolean hasEnded() {
        return false;
    }

    /** Lets it end by itself for a moment, then ends it. */
    @Override
    void close();

    /** Ends it at once. */
    void kill();
}
