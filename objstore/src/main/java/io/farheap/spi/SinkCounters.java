package io.farheap.spi;

/**
 * What a sink posted since it was made, to all replicas together.
 *
 * @param workRequests writes and messages
 * @param doorbells chains of them, handed over to the network at once
 */
public record SinkCounters(long workRequests, long doorbells) {
    public static final SinkCounters NONE = new SinkCounters(0, 0);
}
