package io.farheap.spi;

/**
 * What a sink posted since it was made, to all replicas together.
 *
 * @param workRequests writes and messages
 * @param doorbells chains of them, handed over to the network at once
 * @param bytes what went over the network, framing and what attaching itself sent included:
 *     records, content of a copy or a reconciliation
 */
public record SinkCounters(long workRequests, long doorbells, long bytes) {
    public static final SinkCounters NONE = new SinkCounters(0, 0, 0);
}
