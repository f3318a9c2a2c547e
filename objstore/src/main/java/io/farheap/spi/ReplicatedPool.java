package io.farheap.spi;

import io.farheap.base.ReplicaPolicy;
import io.farheap.poolset.RemoteReplica;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The local pool as a sink sees it while it attaches: closed to transactions, recovered. */
public interface ReplicatedPool {

    /** The poolset file, for messages and for settings beside it. */
    Path poolsetFile();

    /** The remote replicas in the order of the poolset file. */
    List<RemoteReplica> remotes();

    /**
     * What the program says of a replica lost, or null where it says nothing: files beside the pool
     * and the environment count then.
     */
    ReplicaPolicy policy(RemoteReplica replica);

    /**
     * What else the program says of its replicas, by the names of the variables of the environment;
     * over these and over files beside the pool.
     */
    default Map<String, String> settings() {
        return Map.of();
    }

    /**
     * The file beside which those lie that note what lost replicas lack: {@code
     * NAME-OF-THIS-FILE.REPLICA.dirty}. They are the pool's, and go with it.
     */
    Path sideFiles();

    /** Permission bits of the pool's files, which its replicas' get, too. */
    int mode();

    /**
     * The template of a remote replica's header: 4096 bytes with this pool's features, poolset uuid
     * and architecture. Part uuids are the target's own, and its replica links to itself: a remote
     * replica opens as a pool of its own once it is promoted.
     */
    MemorySegment headerTemplate();

    /** The layout name in the descriptor. */
    String layout();

    /** The local image, read-only, pool size bytes. */
    MemorySegment image();

    /**
     * Copies a range of the local image, of which nothing changes meanwhile, as {@link #image}
     * shows it, and no page of it is mapped for that where there is another way.
     *
     * @param target native; it is filled
     */
    default void read(long offset, MemorySegment target) {
        MemorySegment.copy(image(), offset, target, 0, target.byteSize());
    }

    /**
     * Copies a range of the local image as it is committed: what open transactions stored in place
     * is left out. What commits or rolls back while this runs may be there or not; the sink is told
     * of it afterwards.
     *
     * @param target at least {@code length} bytes, filled from its start
     * @throws io.farheap.base.FarheapException BAD_DATA when a log leads outside the pool
     */
    void readCommitted(long offset, MemorySegment target, long length);

    /**
     * Fills whatever means nothing with zeros, in two copies of a range: free memory, log
     * extensions. What is left is equal in all copies of the pool that have the same commits. What
     * changes while this runs, or changed since the copies were made, may be cleared or not.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when the heap's metadata can't be right
     */
    default void clearUnused(long offset, MemorySegment one, MemorySegment other, long length) {}

    /** The descriptor's run_id: the number of the current epoch. */
    long runId();

    /** Stores the run_id, flushed and fenced: the switch point of every epoch change. */
    void switchRunId(long runId);
}
