package io.farheap.replication.stream;

import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;

/**
 * How one member proves that records are durable there: what leaves with their WRITEs, and what
 * comes back for it; one for each of its connections. One class for each method: what another one
 * would post behind the WRITEs (the FLUSH of newer verbs), or make of the last of them (a WRITE
 * with an immediate), is its {@link #ask}.
 *
 * <p>One thread at a time posts, one at a time hands over what came back; both may overlap. Nothing
 * here allocates in the steady state.
 */
abstract class DurabilityPoint implements CompletionHandler {
    private final Connection connection;
    private final AckedPositions replica;

    DurabilityPoint(AckedPositions replica, Connection connection) {
        this.replica = replica;
        this.connection = connection;
    }

    /** By the method that the target has reported for this connection. */
    static DurabilityPoint of(AckedPositions replica, StreamMember link, long epoch) {
        return switch (link.method()) {
            case GPSPM -> new GpspmPoint(replica, link.connection());
            case APM -> new ApmPoint(replica, link.connection(), link.into(), epoch);
        };
    }

    final Connection connection() {
        return connection;
    }

    /** Whose it is: told what is proven. */
    final AckedPositions replica() {
        return replica;
    }

    /**
     * Posts the records from a position on, and what proves all up to their end durable, with one
     * doorbell.
     */
    final void post(BatchPoster poster, long from, BatchPoster.Cursor end) {
        replica.posting(end.sequence, end.position);
        if (end.position > from) {
            poster.write(connection, from, end.position);
        }
        ask(from, end);
        connection.post();
    }

    /** Prepares, behind the WRITEs, what asks whether they are durable. */
    abstract void ask(long from, BatchPoster.Cursor end);
}
