package io.farheap.replication;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.SyncProgress;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.session.RunNumbers;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The way back: a lost or broken local pool is made anew from a replica that was taken over
 * (docs/protocol.md#promotion-and-return). The replica has replayed its tail, so it holds every
 * acknowledged commit, and belongs to nobody else as long as this is open.
 *
 * <p>{@link #into} does all of it, each step durable before the next. The local pool is then opened
 * as ever, and the replica is current. Cut anywhere before the last step, all of it is done again.
 *
 * <p>Not thread-safe.
 */
public final class Restoration implements AutoCloseable {
    /** Where the pool comes back to. Half of it must not be opened by anybody, also not alone. */
    public interface Place {
        /**
         * Makes room in which nobody finds a pool from now on, also not after a power loss.
         *
         * @return the image to be filled, its header page left out
         */
        MemorySegment begin();

        /** The copy is whole: gives it its number; all of it is durable on return. */
        void finish(long runId);

        /** The replica knows the number: from now on the pool can be opened, durably. */
        void open();
    }

    private final ReplicaSession member;
    private final Reply.Promoted promoted;
    private final long nextRunId;

    Restoration(ReplicaSession member, RandomGenerator random) {
        this.member = member;
        this.promoted = member.control().call(new Request.Promote(), Reply.Promoted.class);
        this.nextRunId =
                RunNumbers.fresh(
                        Math.max(promoted.runId(), member.verdict().slot().next()), random);
    }

    /** The replica that is read. */
    RemoteReplica replica() {
        return member.replica();
    }

    /** Records that had reached the replica and were applied only now. */
    long replayedRecords() {
        return promoted.replayed();
    }

    /** The header page of the replica's first part: features, poolset uuid, architecture. */
    Blob header() {
        return member.verdict().header();
    }

    /** Bytes of the replica's image; the pool's own size is in its descriptor. */
    public long imageSize() {
        return member.verdict().imageSize();
    }

    /** The number that the restored pool will have. */
    long nextRunId() {
        return nextRunId;
    }

    /** From now on the replica is not read faster than this. */
    public void pacedBy(Pacer pacer) {
        member.pacedBy(pacer);
    }

    /**
     * Brings the pool back: the order of the steps is what makes each crash between them harmless.
     * What is copied is flushed before there is a pool with its number
     * (docs/protocol.md#failback-flush).
     *
     * @throws FarheapException category REPLICA when the copy fails or differs; nobody can open
     *     what is there then
     */
    public void into(Place place, SyncProgress progress) {
        copyTo(place.begin(), progress);
        place.finish(nextRunId);
        complete();
        place.open();
    }

    /**
     * Copies all but the header page into {@code image}, lanes included, which are clean, and
     * compares checksums afterwards. The caller makes it durable.
     *
     * @param image as large as the pool shall be, at most {@link #imageSize}
     * @throws FarheapException category REPLICA when the copy fails or differs
     */
    void copyTo(MemorySegment image, SyncProgress progress) {
        if (image.byteSize() > imageSize()) {
            throw member.fault(
                    "its image has "
                            + imageSize()
                            + " bytes, fewer than the local pool's "
                            + image.byteSize());
        }
        long total = image.byteSize();
        member.images().get(image, PoolHeader.SIZE, end -> progress.copied(replica(), end, total));
        member.image()
                .verify(image, List.of(new ByteRange(PoolHeader.SIZE, total - PoolHeader.SIZE)));
    }

    /** The local copy is durable and has {@link #nextRunId}: the replica will recognise it. */
    void complete() {
        member.control().perform(new Request.RestoreComplete(nextRunId));
    }

    /** Lets the replica go. */
    @Override
    public void close() {
        member.close();
    }
}
