package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;

/**
 * Looks now and then whether the peer has ended the connection: when it goes in order, the
 * connection manager tells, and nobody else. Used by the polling thread.
 */
final class DisconnectWatch {
    private static final long EVERY_NANOS = 1_000_000;

    private final RdmaCmId id;
    private ConnectionEvents events;
    private long looked = System.nanoTime();
    private String ended;

    DisconnectWatch(RdmaCmId id) {
        this.id = id;
    }

    /** From now on this connection is the only one that these events are about. */
    void owns(ConnectionEvents channel) {
        events = channel;
    }

    /** The connection is over once what has arrived is handed over. */
    void end(String why) {
        ended = why;
    }

    /** Why the connection is over; null as long as nobody told. */
    String ended() {
        return ended;
    }

    /**
     * @throws IOException when it is over; says why
     */
    void look() throws IOException {
        if (ended != null) {
            throw new IOException(ended);
        }
        long now = System.nanoTime();
        if (now - looked < EVERY_NANOS) {
            return;
        }
        looked = now;
        RdmaCmEvent event = events == null ? null : events.next(0);
        if (event != null
                && event.getConnIdPriv() == id
                && ConnectionEvents.isEnd(event.getEvent())) {
            end(ConnectionEvents.meaning(event.getEvent()));
        }
    }

    void close() throws IOException {
        if (events != null) {
            events.close();
        }
    }
}
