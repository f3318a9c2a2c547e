package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What one connection has of the device: a queue pair, the queue of its completions, and a
 * protection domain of its own, so that keys of its memory are good on this connection only.
 * Closing undoes all of it, in the only order that works, however much was made.
 */
final class QueuePair implements AutoCloseable {
    /** Work requests on their way. */
    static final int SEND_DEPTH = 512;

    /** Receives posted. */
    static final int RECEIVE_DEPTH = 144;

    private final RdmaCmId id;
    private final List<Region> regions = new ArrayList<>();
    private IbvPd domain;
    private IbvCompChannel events;
    private IbvCQ completions;
    private IbvQP queues;

    QueuePair(RdmaCmId id) throws IOException {
        if (id == null) {
            throw new IOException("no connection can be made");
        }
        this.id = id;
    }

    /** Makes the queues, once the connection is bound to a device. */
    void create() throws IOException {
        IbvContext device = id.getVerbs();
        if (device == null) {
            throw new IOException("no RDMA device leads to that address");
        }
        domain = device.allocPd();
        events = device.createCompChannel();
        completions = device.createCQ(events, SEND_DEPTH + RECEIVE_DEPTH, 0);
        IbvQPInitAttr wanted = new IbvQPInitAttr();
        wanted.cap().setMax_send_wr(SEND_DEPTH);
        wanted.cap().setMax_recv_wr(RECEIVE_DEPTH);
        wanted.cap().setMax_send_sge(1);
        wanted.cap().setMax_recv_sge(1);
        wanted.cap().setMax_inline_data(0);
        wanted.setQp_type(IbvQP.IBV_QPT_RC);
        wanted.setSend_cq(completions);
        wanted.setRecv_cq(completions);
        queues = id.createQP(domain, wanted);
    }

    RdmaCmId id() {
        return id;
    }

    IbvQP queues() {
        return queues;
    }

    IbvCQ completions() {
        return completions;
    }

    IbvCompChannel events() {
        return events;
    }

    IbvPd domain() {
        return domain;
    }

    /** To be deregistered with the rest. */
    void owns(Region region) {
        regions.add(region);
    }

    /** Ends the connection; what is posted comes back as flushed. */
    void disconnect() throws IOException {
        if (queues != null) {
            int unused = id.disconnect();
        }
    }

    /** Whether the other side may still read and write. */
    boolean isThere() {
        return queues != null;
    }

    @Override
    public void close() throws IOException {
        List<String> failed = new ArrayList<>();
        if (queues != null) {
            int result = id.destroyQP();
            check(result, "queue pair", failed);
            queues = result == 0 ? null : queues;
        }
        for (Region region : regions) {
            try {
                region.deregister();
            } catch (IOException e) {
                failed.add("memory: " + e.getMessage());
            }
        }
        regions.clear();
        if (completions != null) {
            check(completions.destroyCQ(), "completion queue", failed);
        }
        if (events != null) {
            check(events.destroyCompChannel(), "completion channel", failed);
        }
        if (domain != null) {
            try {
                check(domain.deallocPd(), "protection domain", failed);
            } catch (Exception e) {
                failed.add("protection domain: " + e.getMessage());
            }
        }
        completions = null;
        events = null;
        domain = null;
        check(id.destroyId(), "connection", failed);
        if (!failed.isEmpty()) {
            throw new IOException("can't give back " + String.join(", ", failed));
        }
    }

    private static void check(int result, String what, List<String> failed) {
        if (result != 0) {
            failed.add(what);
        }
    }
}
