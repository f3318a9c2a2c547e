package io.farheap.replication.fabric;

import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.MemorySegment;

/**
 * One end of a reliable connection, with the semantics of an RC queue pair, weak points included:
 * work requests are executed in the order in which they were posted, each exactly once, or the
 * connection breaks. A request that was executed is neither durable nor known here to be executed,
 * until a message of the peer proves it.
 *
 * <p>One thread at a time may post ({@link #send}, {@link #post}, and a {@link Connection}'s writes
 * and reads), one at a time may poll; posting and polling may overlap. Nothing is on its way before
 * {@link #post}, the doorbell. A connection that broke stays broken: every later call throws what
 * broke it. No call allocates in the steady state.
 */
public interface Endpoint extends AutoCloseable {
    /** The longest message. */
    int MAX_MESSAGE_BYTES = JournalMessages.MAX_BYTES;

    /**
     * Whether {@link #send} has room for {@code length} bytes now; polling makes room when the peer
     * reads. There is always room for a few messages of the greatest length.
     */
    boolean canSend(int length);

    /**
     * Prepares a message to the peer; it arrives after every request prepared before has been
     * executed. The bytes are copied: the caller may change them at once.
     *
     * @throws io.farheap.base.FarheapException category WRONG_USE when {@link #canSend} is false
     */
    void send(MemorySegment message, long offset, int length);

    /** The doorbell: everything prepared leaves, as one chain. Does not wait for the peer. */
    void post();

    /**
     * Hands over what has arrived, without waiting, and moves on what a slow peer left behind.
     *
     * @return how many completions were handed over
     * @throws io.farheap.base.FarheapException category REPLICA when the connection is broken
     */
    int poll(CompletionHandler handler);

    /**
     * As {@link #poll}, but waits for at least one completion: spins, then yields, then blocks.
     *
     * @param nanos the bound
     * @return how many completions were handed over; 0 when the time was over
     */
    default int await(CompletionHandler handler, long nanos) {
        return await(handler, nanos, false);
    }

    /**
     * As {@link #await(CompletionHandler, long)}.
     *
     * @param crowded other threads want the processor to go on: yields instead of spinning
     */
    int await(CompletionHandler handler, long nanos, boolean crowded);

    /**
     * Whether something that was posted has not left, because the peer is slow, and leaves only
     * while this end is polled or awaited. A fabric that sends by itself has none.
     */
    default boolean hasUnsent() {
        return false;
    }

    /**
     * Ends an await that is under way, or the next one, before its time; by any thread. A fabric
     * without {@link #hasUnsent} needs none.
     */
    default void wake() {}

    /** Work requests, doorbells and completions so far. */
    FabricCounters counters();

    /** Address of the other end, for messages. */
    String peer();

    /** Ends the connection, whatever is on its way; wakes a thread that waits on it. Idempotent. */
    @Override
    void close();
}
