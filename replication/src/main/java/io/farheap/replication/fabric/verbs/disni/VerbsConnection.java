package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The initiator's end over verbs. */
final class VerbsConnection extends VerbsEndpoint implements Connection {
    private final ConnectionEvents events;
    private final Region local;
    private final Region into;
    private RemoteRegion remote;
    private RemoteRegion published;
    private boolean proven;

    VerbsConnection(
            QueuePair pair,
            ConnectionEvents events,
            MemorySegment memory,
            MemorySegment readsInto,
            WaitStrategy wait)
            throws IOException {
        super(pair, wait);
        this.events = events;
        owns(events);
        this.local = new Region(pair, memory, Region.LOCAL);
        this.into = readsInto.equals(memory) ? local : new Region(pair, readsInto, Region.LOCAL);
    }

    /** Connects, has the target prove itself, then does so, and learns where its region is. */
    void establish(MutualProof proof, Deadline deadline) throws IOException {
        events.connect(pair().id());
        events.await(EventType.RDMA_CM_EVENT_ESTABLISHED, deadline);
        byte[] nonce = MutualProof.nonce();
        expectGreeting(
                (message, offset, length) -> challenged(proof, nonce, message, offset, length));
        MemorySegment hello = Arena.ofAuto().allocate(GreetingLayout.HELLO_BYTES);
        GreetingLayout.writeHello(hello, nonce);
        sendGreeting(hello, GreetingLayout.HELLO_BYTES);
        while (remote == null) {
            if (deadline.isOver()) {
                throw new IOException("it does not answer the greeting");
            }
            try {
                int unused = poll((memory, offset, length) -> {});
            } catch (FarheapException e) {
                throw new IOException(
                        proven
                                ? "it proved to be the agent, then ended the connection"
                                : "whoever answers there does not know this connection's secret,"
                                        + " or has ended",
                        e);
            }
            Thread.onSpinWait();
        }
        expectGreeting(null);
    }

    private void challenged(
            MutualProof proof, byte[] ours, MemorySegment message, long offset, int length) {
        try {
            GreetingLayout.check(message, offset, length, GreetingLayout.CHALLENGE_BYTES);
            byte[] its = GreetingLayout.nonce(message, offset);
            byte[] expected = proof.ofTarget(ours, its);
            if (!MutualProof.isEqual(expected, GreetingLayout.targetsProof(message, offset))) {
                throw new IOException("whoever answers there does not know the secret");
            }
            proven = true;
            expectGreeting(this::answered);
            MemorySegment request = Arena.ofAuto().allocate(GreetingLayout.REQUEST_BYTES);
            GreetingLayout.writeRequest(request, inboxRing(), proof.ofInitiator(ours, its));
            sendGreeting(request, GreetingLayout.REQUEST_BYTES);
        } catch (IOException e) {
            throw new FarheapException(Category.REPLICA, e.getMessage(), e);
        }
    }

    private void answered(MemorySegment message, long offset, int length) {
        try {
            GreetingLayout.check(message, offset, length, GreetingLayout.ANSWER_BYTES);
            greeted(
                    GreetingLayout.ringAddress(message, offset),
                    GreetingLayout.ringKey(message, offset));
        } catch (IOException e) {
            throw new FarheapException(Category.REPLICA, e.getMessage(), e);
        }
        published = GreetingLayout.region(message, offset, GreetingLayout.PUBLISHED);
        remote = GreetingLayout.region(message, offset, GreetingLayout.REGION);
    }

    @Override
    public long remoteBytes() {
        return remote.bytes();
    }

    /** What may be read of the target besides its region. */
    RemoteRegion published() {
        return published;
    }

    @Override
    public long publishedBytes() {
        return published.bytes();
    }

    @Override
    public void write(long localOffset, int length, long remoteOffset) {
        check(local, localOffset, length, remoteOffset, remote);
        prepareWrite(
                local.address() + localOffset,
                local.localKey(),
                length,
                remote.address() + remoteOffset,
                remote.key());
    }

    @Override
    public void read(long localOffset, int length, long remoteOffset) {
        read(localOffset, length, remoteOffset, remote);
    }

    @Override
    public void readPublished(long localOffset, int length, long publishedOffset) {
        read(localOffset, length, publishedOffset, published);
    }

    private void read(long localOffset, int length, long offset, RemoteRegion from) {
        check(into, localOffset, length, offset, from);
        prepareRead(
                into.address() + localOffset,
                into.localKey(),
                length,
                from.address() + offset,
                from.key());
    }

    private static void check(
            Region here, long localOffset, int length, long remoteOffset, RemoteRegion there) {
        checkRange("local memory", localOffset, length, here.memory().byteSize());
        checkRange("remote memory", remoteOffset, length, there.bytes());
    }

    private static void checkRange(String what, long offset, int length, long size) {
        if (length <= 0 || offset < 0 || offset > size - length) {
            throw FarheapException.wrongUse(
                    "%s bytes at %s of the %s, which has %s", length, offset, what, size);
        }
    }

    @Override
    boolean mayAnswer() {
        return true; // what arrives here is an answer: taking it is what lets the target go on
    }

    @Override
    void readDone(long address, int length, CompletionHandler handler) {
        handler.readDone(address - into.address(), length);
    }
}
