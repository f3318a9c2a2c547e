package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPostRecv;
import io.farheap.replication.fabric.Deadline;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.LinkedList;
import java.util.List;

/**
 * An end of a connection with nothing above the queue pair: receives posted, no message counted.
 */
final class RawEnd implements AutoCloseable {
    static final int MESSAGE_BYTES = 64;

    private static final int RECEIVES = 64;
    private static final long YIELD_AFTER = 50;

    /** Who takes what arrived. */
    interface Taker {
        /** A receive is complete: by a message in that memory, or by a WRITE with immediate. */
        void received(MemorySegment messages, long offset) throws IOException;
    }

    private final ConnectionEvents events;
    private final QueuePair pair;
    private final Region received;
    private final SVCPostRecv[] receives = new SVCPostRecv[RECEIVES];
    private final Completions completions;

    private RawEnd(ConnectionEvents events, QueuePair pair) throws IOException {
        this.events = events;
        this.pair = pair;
        pair.create();
        this.completions = new Completions(pair);
        this.received = new Region(pair, memory(RECEIVES * MESSAGE_BYTES), Region.LOCAL);
        for (int i = 0; i < RECEIVES; i++) {
            IbvSge part = new IbvSge();
            part.setAddr(received.address() + (long) i * MESSAGE_BYTES);
            part.setLength(MESSAGE_BYTES);
            part.setLkey(received.localKey());
            IbvRecvWR receive = new IbvRecvWR();
            receive.setSg_list(new LinkedList<>(List.of(part)));
            receive.setNum_sge(1);
            receive.setWr_id(-1 - i);
            receives[i] = pair.queues().postRecv(List.of(receive), null);
            SVCPostRecv unused = receives[i].execute();
        }
    }

    static MemorySegment memory(long bytes) {
        return Arena.ofAuto().allocate(bytes, 64);
    }

    /** The end that is connected to. */
    static final class Listener {
        private final ConnectionEvents events = new ConnectionEvents();
        private final RdmaCmId id = events.newConnection();

        Listener(InetSocketAddress address) throws IOException {
            id.bindAddr(address);
            id.listen(1);
        }

        int port() throws IOException {
            return ((InetSocketAddress) id.getSource()).getPort();
        }

        /** Waits for a peer; it is connected once it has the first message. */
        RawEnd accept(Deadline deadline) throws IOException {
            RdmaCmEvent event = null;
            while (event == null && !deadline.isOver()) {
                event = events.next(20);
            }
            if (event == null
                    || event.getEvent() != EventType.RDMA_CM_EVENT_CONNECT_REQUEST.ordinal()) {
                throw new IOException("no peer");
            }
            RawEnd end = new RawEnd(events, new QueuePair(event.getConnIdPriv()));
            events.accept(end.pair.id());
            return end;
        }
    }

    static RawEnd connect(InetSocketAddress target, Deadline deadline) throws IOException {
        ConnectionEvents events = new ConnectionEvents();
        QueuePair pair = new QueuePair(events.newConnection());
        pair.id().resolveAddr(null, target, deadline.leftMillis());
        events.await(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, deadline);
        pair.id().resolveRoute(deadline.leftMillis());
        events.await(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, deadline);
        RawEnd end = new RawEnd(events, pair);
        events.connect(pair.id());
        events.await(EventType.RDMA_CM_EVENT_ESTABLISHED, deadline);
        return end;
    }

    QueuePair pair() {
        return pair;
    }

    /** Waits for something that arrives, and hands it over. */
    void await(Taker taker, Deadline deadline) throws IOException {
        int done = 0;
        for (long tries = 0; done == 0; tries++) {
            int reported = completions.poll();
            for (int i = 0; i < reported; i++) {
                if (completions.failed(i)) {
                    throw new IOException(completions.failure(i));
                }
                if (completions.id(i) < 0) {
                    int slot = (int) (-1 - completions.id(i));
                    taker.received(received.memory(), (long) slot * MESSAGE_BYTES);
                    SVCPostRecv unused = receives[slot].execute();
                    done++;
                }
            }
            if (reported == 0 && tries > YIELD_AFTER) {
                Thread.yield();
                if (deadline.isOver()) {
                    throw new IOException("nothing comes");
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        pair.disconnect();
        completions.free();
        for (SVCPostRecv receive : receives) {
            SVCPostRecv unused = receive.free();
        }
        pair.close();
        events.close();
    }
}
