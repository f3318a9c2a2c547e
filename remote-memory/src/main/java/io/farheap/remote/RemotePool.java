package io.farheap.remote;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.control.Blob;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A pool of bytes on another machine that backs memory of this program: librpmem's {@code
 * RPMEMpool}. What a {@link RemoteLane} has persisted is durable on the target, whatever happens to
 * this program.
 *
 * <p>The target is named as in a poolset file, {@code [user@]host[:port]} (an IPv6 address in
 * brackets when a port follows), and reached by the remote shell; the poolset by its path under the
 * poolset directory of the agent there. That poolset has one replica of part files, and belongs to
 * this API alone: a pool's replica can't be opened by it, nor this as a replica. One program at a
 * time has it.
 *
 * <p>Errors: {@link FarheapException} WRONG_USE for arguments, {@link
 * io.farheap.replication.control.RefusedException} with a code for what the target refuses, and
 * REPLICA when it can't be reached; the messages say what to do. Thread-safe.
 */
public final class RemotePool implements AutoCloseable {
    private static final long PAGE = 4096;

    /** The header, and something behind it. */
    private static final long MIN_BYTES = 2 * PAGE;

    /** By it the agent's commands are used in turn, where there are several. */
    private static final AtomicInteger OPENINGS = new AtomicInteger();

    private final MemoryLink link;
    private final long size;
    private final List<RemoteLane> lanes;
    private RemotePoolAttributes attributes;
    private boolean closed;

    private RemotePool(
            MemoryLink link, MemorySegment memory, RemotePoolAttributes attributes, int lanes) {
        this.link = link;
        this.size = memory.byteSize();
        this.attributes = attributes;
        List<RemoteLane> made = new ArrayList<>();
        for (int i = 0; i < lanes; i++) {
            made.add(new RemoteLane(link, memory));
        }
        this.lanes = Collections.unmodifiableList(made);
    }

    /**
     * Makes a pool on the target; its bytes behind the header are zero. Nothing of the memory is
     * sent.
     *
     * @param memory what it backs: a multiple of 4096 bytes, at least 8192, of which the first 4096
     *     are never sent. It must live until the pool is closed
     * @throws FarheapException when it exists already, or can't be made: nothing was changed then
     */
    public static RemotePool create(
            String target,
            String poolset,
            MemorySegment memory,
            RemotePoolAttributes attributes,
            RemotePoolOptions options) {
        return attach(target, poolset, memory, attributes.toHeader(), options);
    }

    /**
     * Opens a pool that exists. Everything that was persisted is there; of what was being persisted
     * when the program or the target was lost, the last may be there or not.
     *
     * @param memory as of {@link #create}; it may be smaller than the pool. It does not change: see
     *     {@link RemoteLane#read}
     */
    public static RemotePool open(
            String target, String poolset, MemorySegment memory, RemotePoolOptions options) {
        return attach(target, poolset, memory, null, options);
    }

    private static RemotePool attach(
            String target,
            String poolset,
            MemorySegment memory,
            Blob header,
            RemotePoolOptions options) {
        long bytes = memory.byteSize();
        if (bytes < MIN_BYTES || bytes % PAGE != 0) {
            throw FarheapException.wrongUse(
                    "a remote pool can't back %s bytes: give a multiple of 4096, at least %s",
                    bytes, MIN_BYTES);
        }
        MemoryLink link =
                MemoryLink.attach(
                        replica(target, poolset),
                        nextCommand(),
                        header,
                        bytes,
                        options.takeOver(),
                        options.settings());
        return new RemotePool(
                link, memory, RemotePoolAttributes.of(link.header()), options.granted());
    }

    private static RemoteReplica replica(String target, String poolset) {
        return RemoteReplica.at(target, poolset)
                .orElseThrow(
                        () ->
                                FarheapException.wrongUse(
                                        "\"%s\" names no target: give [user@]host[:port]", target));
    }

    private static int nextCommand() {
        return OPENINGS.getAndIncrement() & Integer.MAX_VALUE;
    }

    /**
     * Removes a pool that nobody has open: its part files and its journal on the target.
     *
     * @throws FarheapException when there is none, or it can't be removed
     */
    public static void remove(
            String target, String poolset, RemotePoolOptions options, RemoveOption... what) {
        Set<RemoveOption> wanted = EnumSet.noneOf(RemoveOption.class);
        Collections.addAll(wanted, what);
        new RemoteReplicaClient(replica(target, poolset), nextCommand(), options.settings())
                .remove(
                        null,
                        wanted.contains(RemoveOption.FORCE),
                        wanted.contains(RemoveOption.POOL_SET),
                        options.takeOver());
    }

    /** The lanes that were granted, numbered from 0. */
    public int lanes() {
        return lanes.size();
    }

    /**
     * @param index below {@link #lanes}
     */
    public RemoteLane lane(int index) {
        if (index < 0 || index >= lanes.size()) {
            throw FarheapException.wrongUse(
                    "there is no lane %s: %s were granted, from 0", index, lanes.size());
        }
        return lanes.get(index);
    }

    /** Bytes of the program's memory, which the pool backs. */
    public long size() {
        return size;
    }

    /** Bytes of the pool on the target, its header's 4096 included. */
    public long remoteSize() {
        return link.imageBytes();
    }

    /** What the pool's headers say. */
    public synchronized RemotePoolAttributes attributes() {
        return attributes;
    }

    /**
     * Replaces the attributes; durable when this returns. A crash leaves the old or the new ones.
     *
     * @throws io.farheap.replication.control.RefusedException when the pool can't have these;
     *     nothing has changed then
     */
    public synchronized void setAttributes(RemotePoolAttributes others) {
        if (closed) {
            throw FarheapException.wrongUse("the remote pool is closed");
        }
        link.setHeader(others.toHeader());
        attributes = others;
    }

    /**
     * Waits for what is under way, and until the files of the target hold everything; then lets go
     * of the pool. Idempotent.
     *
     * @throws FarheapException category REPLICA when the target was lost and no call has said so
     *     before, or did not end in time. What was persisted is there at the next opening
     */
    @Override
    public void close() {
        lanes.forEach(RemoteLane::end);
        synchronized (this) {
            if (!closed) {
                closed = true;
                link.close();
            }
        }
    }
}
