package io.farheap.spi;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolPosition;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ScrubResult;
import io.farheap.poolset.RemoteReplica;
import java.util.List;

/**
 * The way commits leave for remote replicas: one ordered stream of records.
 *
 * <p>For each record: {@link #append}, then {@link #awaitDurable}, then the local commit point,
 * then {@link #committed}; or, when awaitDurable threw, the local roll-back, durable, and then
 * {@link #rolledBack}; or, when any of this fails in the local pool, whatever was thrown, {@link
 * #broken} (docs/protocol.md#one-end). Exactly one of the three must follow every append that
 * returned: epochs change only when none is outstanding, but for those that wait. In the same way
 * exactly one of {@link #undone} and {@link #undoFailed} must follow every {@link #undoing}.
 *
 * <p>A call that throws has ended nothing: broken, or undoFailed, is still to come. An append that
 * throws has claimed nothing.
 *
 * <p>An epoch may end while a record is waited for, because a replica is lost that the pool can do
 * without. The others have dropped the record then, and awaitDurable claims it again in the next
 * epoch: undo entries, stores in place and locks stay as they are meanwhile, so that the source
 * writes the same entries. Thread-safe; the hot path allocates nothing.
 */
public interface ReplicaSink extends AutoCloseable {

    /** The most entry bytes one record may carry, as far as it is known. */
    long maxEntryBytes();

    /**
     * The most entry bytes of a record whose content may as well be cut into several. Less than
     * {@link #maxEntryBytes} while a replica has not been there since the pool was opened: it may
     * come back with a smaller journal before the record is claimed.
     */
    long pieceEntryBytes();

    /**
     * The most bytes of an image that every replica has room for: the pool must not grow beyond. At
     * least what {@link ReplicatedPool#image} had when the replicas were attached.
     */
    long imageBytes();

    /**
     * Claims the next sequence number, has {@code source} write its entries, and posts the record
     * (perhaps together with others). Waits, bounded, while the ring has no room.
     *
     * @param entryBytes exactly what the source will write, in bytes of entries
     * @return the ticket for the calls below
     * @throws io.farheap.base.FarheapException category REPLICA when a replica that must be durable
     *     is missing; nothing was claimed then and neither committed nor rolledBack may be called
     */
    long append(long entryBytes, RecordSource source);

    /**
     * Waits until the record is durable on every replica that must have it.
     *
     * @param entryBytes as given to {@link #append}
     * @param source as given to append; it is asked again, on this thread, when the record is
     *     claimed again
     * @return the ticket that the record has in the end: {@code ticket}, or the one of a later
     *     epoch, in which it was claimed again
     * @throws io.farheap.base.CommitUnknownException when that could not be established within the
     *     bound; {@link #rolledBack} takes the ticket that was given here then
     */
    long awaitDurable(long ticket, long entryBytes, RecordSource source);

    /**
     * The record's changes are durable in the local pool, and applied there.
     *
     * @param source as given to {@link #append}: a replica that is being copied gets those places
     *     again
     */
    void committed(long ticket, RecordSource source);

    /** The record's changes were undone in the local pool, durably. */
    void rolledBack(long ticket);

    /**
     * Whether the record's changes are in the local pool is decided when that is opened again. So
     * no replica is told that it is committed, none gets another epoch, and nothing is claimed any
     * more. Others' records that are decided may still end as they do; {@link #close} waits for
     * nobody, and leaves the replicas as a crash would: the next open brings them to what recovery
     * finds.
     *
     * @param ticket as for {@link #committed} after an awaitDurable that returned, else as for
     *     {@link #rolledBack}
     */
    void broken(long ticket);

    /**
     * A transaction is about to put back what it stored in place. {@link #undone} must follow, even
     * where there is no ticket.
     */
    void undoing();

    /**
     * What was stored in place is put back, and the undo log discarded, both durably.
     *
     * @param source names those places as entries
     */
    void undone(RecordSource source);

    /**
     * What {@link #undoing} began came to no end: what is in those places is decided when the pool
     * is opened again. No replica gets another epoch until then.
     */
    void undoFailed();

    /** How each replica is, in the order of the poolset file. */
    List<ReplicaStatus> replicas();

    /** Compares the replicas with the pool once, while commits go on. */
    default ScrubResult scrub() {
        return ScrubResult.NOTHING;
    }

    /**
     * When the last comparison of all of them with the pool ended, milliseconds since 1970; 0: none
     * has since the pool was opened.
     */
    default long comparedMillis() {
        return 0;
    }

    /**
     * The pool's poolset file was read again. Those of its remote replicas that are none of the
     * pool's are brought up to date from now on while commits go on, and become members then; those
     * that it does not name any more leave, in this order. On return {@link #replicas} shows all of
     * them.
     *
     * @param remotes all that there are to be, in the order of the file
     * @param alone whether none may be left that has every commit
     * @throws io.farheap.base.FarheapException WRONG_USE when that must not be; REPLICA when it
     *     can't be now; nothing has changed then
     */
    default void reload(List<RemoteReplica> remotes, boolean alone) {
        throw FarheapException.wrongUse("the replicas of this pool are those of its opening");
    }

    /** The end of what was claimed so far. */
    PoolPosition position();

    /** What was posted so far. */
    SinkCounters counters();

    /** Drains the stream within a bound and lets the replicas go. */
    @Override
    void close();
}
