package io.farheap.replication.fabric;

/**
 * The initiator's end: it also reaches into the region that the target registered, one-sided. Local
 * memory are the segments that were registered when the connection was made; what a write posts
 * from there must stay unchanged until a message of the target, sent after it got one that was
 * posted later, or a READ that was posted later, proves that it was executed.
 */
public interface Connection extends Endpoint {

    /** Size of the target's region in bytes. */
    long remoteBytes();

    /** Size of what the target publishes: 0 where that is nothing. */
    long publishedBytes();

    /** Prepares a WRITE of local memory into the target's region. */
    void write(long localOffset, int length, long remoteOffset);

    /**
     * Prepares a READ of the target's region into local memory; {@link CompletionHandler#readDone}
     * tells the end, in the order of the reads and messages.
     */
    void read(long localOffset, int length, long remoteOffset);

    /** The same READ of what the target publishes. */
    void readPublished(long localOffset, int length, long publishedOffset);
}
