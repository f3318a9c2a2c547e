package io.farheap.remote;

import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.Limits;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.StagingMemory;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.PoolIdentity;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.session.RunNumbers;
import io.farheap.replication.stream.CommitStream;
import io.farheap.replication.stream.StreamMember;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.List;

/**
 * A program's hold on its remote memory: records go to the target's journal as commits do, and are
 * applied there in their order, each whole; but there is no pool here, and nothing to commit. Once
 * something failed, everything after it fails with the same reason: who wants to go on closes this
 * one and attaches again.
 *
 * <p>Thread-safe, but for {@link #close}: nobody may use it any more.
 */
final class MemoryLink implements AutoCloseable {
    private final RemoteReplica target;
    private final ReplicationSettings settings;
    private final StagingMemory staging = new StagingMemory();
    private final ReplicaSession member;
    private CommitStream stream;
    private volatile FarheapException failure;
    private boolean closed;

    private MemoryLink(RemoteReplica target, ReplicaSession member, ReplicationSettings settings) {
        this.target = target;
        this.member = member;
        this.settings = settings;
    }

    /**
     * Attaches to the memory.
     *
     * @param target where it is, by the poolset file there
     * @param index picks the agent's command where there are several
     * @param header a header page with its attributes, to make it; null to attach to what is there
     * @param imageBytes how much of it is wanted, the header page included
     * @param takeOver end the right of whoever holds it
     * @throws io.farheap.replication.control.RefusedException when the target says no
     * @throws FarheapException category REPLICA when it can't be reached
     */
    static MemoryLink attach(
            RemoteReplica target,
            int index,
            Blob header,
            long imageBytes,
            boolean takeOver,
            ReplicationSettings settings) {
        Fabrics fabrics = Fabrics.of(settings);
        long number = RunNumbers.fresh(0, new SecureRandom());
        Request.Hello hello =
                new PoolIdentity("", "", imageBytes, header == null ? Blob.EMPTY : header, null)
                        .hello(
                                header == null ? Purpose.OPEN_MEMORY : Purpose.CREATE_MEMORY,
                                target.descriptor(),
                                0,
                                number,
                                List.of(),
                                SlotReport.NOT_KNOWN,
                                false,
                                takeOver,
                                SessionOwner.NONE,
                                fabrics.offeredTo(target),
                                settings);
        AgentConnector connector = AgentConnector.of(settings);
        try {
            ReplicaSession member = ReplicaSession.greet(connector, target, index, hello, settings);
            MemoryLink link = new MemoryLink(target, member, settings);
            boolean connected = false;
            try {
                link.connect(connector, fabrics, number);
                connected = true;
                return link;
            } finally {
                if (!connected) {
                    member.abandon();
                    link.staging.close();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarheapException.replica(
                    e, "remote memory %s: interrupted while waiting for its agent", target);
        }
    }

    private void connect(AgentConnector connector, Fabrics fabrics, long number)
            throws InterruptedException {
        if (header().length() == 0) {
            throw member.fault("its agent sent no pool header; install the same version there");
        }
        staging.fit(member);
        member.connectData(connector, fabrics, staging.memory());
        StreamMember link = member.link(ReplicaPolicy.FAIL);
        stream =
                new CommitStream(
                        number, staging.memory(), List.of(link), settings.stream(), () -> {});
        member.onLost(reason -> stream.freeze(link.name(), reason));
    }

    /** The header page of the first part, as it was at the beginning. */
    Blob header() {
        return member.verdict().header();
    }

    /** Bytes of the memory there, the header page included. */
    long imageBytes() {
        return member.verdict().imageSize();
    }

    /** The most bytes that one copy of one record may have. */
    long maxCopyBytes() {
        return stream.maxEntryBytes() - RecordEntries.copyEntryBytes(0);
    }

    /**
     * Sends a record. What it copies is read before this returns.
     *
     * @return its number, for {@link #awaitDurable}
     */
    long append(long entryBytes, RecordSource source) {
        requireUsable();
        try {
            long sequence = stream.append(entryBytes, source);
            stream.committed(sequence); // nothing here could be rolled back
            return sequence;
        } catch (FarheapException e) {
            throw failed(e);
        }
    }

    /** Returns when that record, and all before it, are durable on the target. */
    void awaitDurable(long sequence) {
        if (!stream.awaitOutcome(sequence)) {
            requireUsable();
            throw failed(null);
        }
    }

    /** Reads what is there with every record that is durable. */
    void read(long offset, MemorySegment into, long at, long length) {
        requireUsable();
        try {
            for (long done = 0; done < length; done += Limits.MAX_READ_BYTES) {
                int piece = (int) Math.min(Limits.MAX_READ_BYTES, length - done);
                byte[] bytes = member.readImage(offset + done, piece, true).content().toByteArray();
                MemorySegment.copy(MemorySegment.ofArray(bytes), 0, into, at + done, piece);
            }
        } catch (FarheapException e) {
            throw failed(e);
        }
    }

    /**
     * Replaces the attributes in the headers there.
     *
     * @throws io.farheap.replication.control.RefusedException when it can't have these
     */
    void setHeader(Blob header) {
        requireUsable();
        member.control().perform(new Request.SetAttributes(header));
    }

    private void requireUsable() {
        FarheapException before = failure;
        if (before != null) {
            throw new FarheapException(before.category(), before.getMessage(), before);
        }
    }

    /**
     * @param thrown what a call threw; of a stream that was frozen, its reason says more
     */
    private FarheapException failed(FarheapException thrown) {
        FarheapException cause = stream.isFrozen() ? stream.whyFrozen() : thrown;
        FarheapException reason =
                FarheapException.replica(
                        cause,
                        "remote memory %s: %s; close it and open it again: what was persisted"
                                + " before is there",
                        target,
                        cause.getMessage());
        failure = reason;
        return reason;
    }

    /**
     * Waits until the target's files hold everything, and lets the agent end.
     *
     * @throws FarheapException when that failed and nobody was told before
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        boolean drained = false;
        try {
            if (failure == null) {
                drain();
                drained = true;
            }
        } finally {
            stream.abandon();
            end(drained);
            staging.close();
        }
    }

    private void drain() {
        try {
            stream.drain(settings.commitTimeout());
        } catch (FarheapException e) {
            throw failed(e);
        }
    }

    private void end(boolean orderly) {
        if (orderly) {
            member.close();
        } else {
            member.abandon();
        }
    }
}
