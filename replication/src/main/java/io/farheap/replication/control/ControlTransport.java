package io.farheap.replication.control;

/** The agent at the far end of two streams, however it was started. Thread-safe. */
public interface ControlTransport extends AutoCloseable {
    LineChannel channel();

    /**
     * Gets to the agent, where reading from it would do that first. Fails silently: whoever reads
     * hears why.
     */
    default void reach() {}

    /** How it ended, in one line; empty where nothing is known. Waits a moment for the end. */
    String lastWords() throws InterruptedException;

    /** What to look at where it has never said a word: a clause; empty: nothing. */
    default String advice() {
        return "; see that the remote shell command starts the agent there (RPMEM_SSH, RPMEM_CMD)";
    }

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
