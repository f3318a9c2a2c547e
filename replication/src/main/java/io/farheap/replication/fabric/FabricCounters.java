package io.farheap.replication.fabric;

/**
 * What one endpoint did since it was made.
 *
 * @param workRequests WRITEs, READs and SENDs posted
 * @param doorbells chains posted
 * @param completions messages and READs that arrived
 * @param waits calls of {@code await}, and waits its owner did by polling
 * @param bytes handed over to the transport, framing included
 */
public record FabricCounters(
        long workRequests, long doorbells, long completions, long waits, long bytes) {}
