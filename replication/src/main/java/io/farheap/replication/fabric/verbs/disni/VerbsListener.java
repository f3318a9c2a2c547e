package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.NoConnection;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Lets in the first that proves to know the secret; strangers are looked at side by side, a few at
 * a time.
 */
final class VerbsListener implements TargetListener {
    private static final int STRANGERS = 8;
    private static final int SLICE_MILLIS = 5;

    private final MutualProof proof;
    private final MemorySegment region;
    private final MemorySegment published;
    private final WaitStrategy wait;
    private final ConnectionEvents events;
    private final RdmaCmId listening;
    private final int port;
    private final Deque<GreetingEndpoint> guests = new ArrayDeque<>();
    private volatile boolean closed;
    private boolean accepting;
    private boolean handedOver;
    private boolean givenBack;

    VerbsListener(
            InetSocketAddress address,
            byte[] secret,
            MemorySegment region,
            MemorySegment published,
            WaitStrategy wait)
            throws IOException {
        this.proof = new MutualProof(secret);
        this.region = region;
        this.published = published;
        this.wait = wait;
        this.events = new ConnectionEvents();
        RdmaCmId id = null;
        try {
            id = events.newConnection();
            id.bindAddr(address);
            id.listen(2 * STRANGERS);
            if (id.getVerbs() == null) {
                throw new IOException("no RDMA device has that address");
            }
            Region.checkShareable(id.getVerbs(), region);
            this.port = ((InetSocketAddress) id.getSource()).getPort();
            this.listening = id;
        } catch (IOException e) {
            if (id != null) {
                int unused = id.destroyId();
            }
            DisniFabric.closeAfter(null, events, e);
            throw e;
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public Endpoint accept(Duration bound) {
        synchronized (this) {
            if (closed) {
                throw NoConnection.ended(null);
            }
            accepting = true;
        }
        Deadline deadline = Deadline.in(bound);
        try {
            GreetingEndpoint initiator = null;
            while (initiator == null) {
                if (closed) {
                    throw NoConnection.ended(null);
                }
                if (deadline.isOver()) {
                    throw NoConnection.within(bound);
                }
                RdmaCmEvent event = events.next(Math.min(SLICE_MILLIS, deadline.leftMillis()));
                if (event != null) {
                    dispatch(event);
                }
                initiator = look();
            }
            guests.remove(initiator);
            initiator.owns(events);
            handedOver = true;
            return initiator;
        } catch (IOException e) {
            throw NoConnection.refused("no data connection: " + e.getMessage(), e);
        } finally {
            synchronized (this) {
                accepting = false;
                closed = true;
                giveBack();
            }
        }
    }

    private void dispatch(RdmaCmEvent event) throws IOException {
        if (event.getEvent() == EventType.RDMA_CM_EVENT_CONNECT_REQUEST.ordinal()) {
            welcome(event.getConnIdPriv());
        } else if (ConnectionEvents.isEnd(event.getEvent())) {
            for (GreetingEndpoint guest : guests) {
                if (guest.pair().id() == event.getConnIdPriv()) {
                    guest.end(ConnectionEvents.meaning(event.getEvent()));
                }
            }
        }
    }

    private void welcome(RdmaCmId id) throws IOException {
        QueuePair pair = new QueuePair(id);
        try {
            pair.create();
            GreetingEndpoint guest = new GreetingEndpoint(pair, wait, proof, region, published);
            guests.add(guest);
            events.accept(id);
        } catch (IOException e) {
            // whoever comes and goes must not end the wait for the initiator
            log("a stranger can't be welcomed", e);
            if (guests.isEmpty() || guests.getLast().pair() != pair) {
                DisniFabric.closeAfter(pair, null, e);
            } else {
                guests.removeLast().close();
            }
            return;
        }
        if (guests.size() > STRANGERS) {
            guests.removeFirst().close(); // the initiator proves itself at once
        }
    }

    private GreetingEndpoint look() {
        for (var each = guests.iterator(); each.hasNext(); ) {
            GreetingEndpoint guest = each.next();
            try {
                if (guest.isProven()) {
                    return guest;
                }
            } catch (FarheapException e) {
                each.remove();
                guest.close();
                if (guest.isTrusted()) {
                    throw NoConnection.refused(
                            "the initiator came, and can't be served: " + e.getMessage(), e);
                }
                log("a stranger is turned away", e);
            }
        }
        return null;
    }

    private static void log(String what, Exception why) {
        System.getLogger(VerbsListener.class.getName()).log(System.Logger.Level.DEBUG, what, why);
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (!accepting) { // else accept gives back when it sees it
            giveBack();
        }
    }

    private void giveBack() {
        if (givenBack) {
            return;
        }
        givenBack = true;
        guests.forEach(GreetingEndpoint::close);
        guests.clear();
        try {
            int unused = listening.destroyId();
            if (!handedOver) {
                events.close();
            }
        } catch (IOException e) {
            throw FarheapException.environment(e, "can't close the data port: %s", e.getMessage());
        }
    }
}
