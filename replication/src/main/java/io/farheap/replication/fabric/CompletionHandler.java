package io.farheap.replication.fabric;

import java.lang.foreign.MemorySegment;

/** Where an endpoint's poller hands over what arrived, in order, on the polling thread. */
@FunctionalInterface
public interface CompletionHandler {

    /**
     * A message of the peer.
     *
     * @param memory holds it; valid during the call only
     * @param offset where it begins in there
     * @param length its bytes
     */
    void received(MemorySegment memory, long offset, int length);

    /** A READ has arrived in local memory. */
    default void readDone(long localOffset, int length) {}
}
