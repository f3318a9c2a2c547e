package io.farheap.replication.dirty;

import io.farheap.poolset.RemoteReplica;

/** Where the dirty maps of one pool are kept. For one thread. */
public interface DirtyMaps extends AutoCloseable {

    /**
     * The map of a replica, if there is one that goes with the pool's number.
     *
     * @return null when there is none that may be believed
     * @throws io.farheap.base.FarheapException when it can't be read, with what to do
     */
    DirtyMap find(RemoteReplica replica, long number);

    /**
     * A new map without a bit, durable; takes the place of an older one, which nobody uses any
     * more.
     *
     * @param bases what the replica may have
     * @param number the pool's
     * @param coversLag {@link DirtyMap#coversLag}
     */
    DirtyMap create(RemoteReplica replica, Bases bases, long number, boolean coversLag);

    /**
     * The replica's map must not be found any more, durably. Marking it does no harm until {@link
     * #close}.
     */
    void remove(RemoteReplica replica);

    /** Nobody marks any more. The maps stay. */
    @Override
    void close();
}
