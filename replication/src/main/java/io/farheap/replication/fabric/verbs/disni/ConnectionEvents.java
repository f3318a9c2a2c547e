package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.farheap.replication.fabric.Deadline;
import java.io.IOException;

/** What the connection manager tells about connections; every wait has an end. */
final class ConnectionEvents implements AutoCloseable {
    /**
     * Of a lost packet, and of a message that nobody waits for. 7, the greatest number, means for
     * ever with the latter; with rxe it means that with both.
     */
    private static final byte RETRIES = 6;

    private static final short RELIABLE = 0x0106;
    private static final int SLICE_MILLIS = 20;

    private final RdmaEventChannel channel;

    ConnectionEvents() throws IOException {
        this.channel = RdmaEventChannel.createEventChannel();
        if (channel == null) {
            throw new IOException("no event channel of the connection manager");
        }
    }

    RdmaCmId newConnection() throws IOException {
        return channel.createId(RELIABLE);
    }

    void connect(RdmaCmId id) throws IOException {
        id.connect(parameters());
    }

    void accept(RdmaCmId id) throws IOException {
        id.accept(parameters());
    }

    private static RdmaConnParam parameters() throws IOException {
        RdmaConnParam parameters = new RdmaConnParam();
        parameters.setRetry_count(RETRIES);
        parameters.setRnr_retry_count(RETRIES);
        return parameters;
    }

    /** The next event, or null when none comes in this time. */
    RdmaCmEvent next(int millis) throws IOException {
        return channel.getCmEvent(millis);
    }

    /** Waits for an event of the only connection; any other one is its end. */
    void await(EventType wanted, Deadline deadline) throws IOException {
        while (!deadline.isOver()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new IOException("interrupted");
            }
            RdmaCmEvent event = next(Math.min(SLICE_MILLIS, deadline.leftMillis()));
            if (event != null) {
                if (event.getEvent() == wanted.ordinal()) {
                    return;
                }
                throw new IOException(meaning(event.getEvent()));
            }
        }
        throw new IOException("nobody answers");
    }

    /** Whether the connection ended or its device is gone. */
    static boolean isEnd(int event) {
        return event == EventType.RDMA_CM_EVENT_DISCONNECTED.ordinal()
                || event == EventType.RDMA_CM_EVENT_DEVICE_REMOVAL.ordinal()
                || event == EventType.RDMA_CM_EVENT_TIMEWAIT_EXIT.ordinal()
                || event == EventType.RDMA_CM_EVENT_CONNECT_ERROR.ordinal()
                || event == EventType.RDMA_CM_EVENT_UNREACHABLE.ordinal()
                || event == EventType.RDMA_CM_EVENT_REJECTED.ordinal();
    }

    /** For a person. */
    static String meaning(int event) {
        EventType[] types = EventType.values();
        if (event < 0 || event >= types.length) {
            return "an event " + event + " of the connection manager that nobody knows";
        }
        return switch (types[event]) {
            case RDMA_CM_EVENT_ADDR_ERROR -> "no RDMA device leads to that address";
            case RDMA_CM_EVENT_ROUTE_ERROR -> "no route leads there";
            case RDMA_CM_EVENT_CONNECT_ERROR -> "the connection can't be made";
            case RDMA_CM_EVENT_UNREACHABLE -> "it can't be reached";
            case RDMA_CM_EVENT_REJECTED -> "nobody listens there, or it is rejected";
            case RDMA_CM_EVENT_DISCONNECTED -> "the other side ended it";
            case RDMA_CM_EVENT_DEVICE_REMOVAL -> "the RDMA device was removed";
            default -> "the connection manager says " + types[event];
        };
    }

    @Override
    public void close() throws IOException {
        int unused = channel.destroyEventChannel();
    }
}
