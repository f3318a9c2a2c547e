package io.farheap.replication;

import io.farheap.FarheapException;
import io.farheap.spi.RecordSource;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The records of one epoch, to all its members: sequence 1, 2, 3 … without gap. Once frozen, no
 * answer of any replica counts any more; it never thaws, the next epoch has a stream of its own.
 * Thread-safe.
 */
interface EpochStream extends AutoCloseable {
    /** The most entry bytes one record may carry. */
    long maxEntryBytes();

    /**
     * As {@link io.farheap.spi.ReplicaSink#append}.
     *
     * @throws FarheapException category REPLICA when it is frozen; nothing was claimed then
     */
    long append(long entryBytes, RecordSource source);

    /**
     * As {@link io.farheap.spi.ReplicaSink#awaitDurable}. When the bound is exceeded, or a
     * connection breaks, it freezes by itself.
     */
    void awaitDurable(long sequence);

    void committed(long sequence);

    void rolledBack(long sequence);

    /** Freezes, if it has not yet. */
    void freeze(FarheapException reason);

    /**
     * The last sequence number that was durable on all members when the stream was frozen. All up
     * to it were or will be committed here, none after it.
     */
    long frozenAt();

    /**
     * Sends what the members need in order to apply everything, and waits until they have, durably.
     * No commit is under way.
     *
     * @throws FarheapException category REPLICA when that took longer than the bound
     */
    void drain(Duration bound);

    /** Lets the staging memory go; the members' connections stay open. */
    @Override
    void close();

    /** Makes the stream of an epoch whose members are all confirmed. */
    @FunctionalInterface
    interface Factory {
        /**
         * @param epoch the epoch's number
         * @param onFrozen called once, on any thread, when the stream freezes by itself
         */
        EpochStream open(
                long epoch,
                List<Member> members,
                StagingMemory staging,
                Consumer<FarheapException> onFrozen);
    }
}
