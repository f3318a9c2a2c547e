package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The initiator's end over verbs. */
final class VerbsConnection extends VerbsEndpoint implements Connection {
    private final ConnectionEvents events;
    private final Region local;
    private long remoteAddress;
    private long remoteBytes = -1;
    private int remoteKey;

    VerbsConnection(
            QueuePair pair, ConnectionEvents events, MemorySegment memory, WaitStrategy wait)
            throws IOException {
        super(pair, wait);
        this.events = events;
        owns(events);
        this.local = new Region(pair, memory, Region.LOCAL);
    }

    /** Connects, shows the secret, and learns where the target's region is. */
    void establish(byte[] secret, Deadline deadline) throws IOException {
        events.connect(pair().id());
        events.await(EventType.RDMA_CM_EVENT_ESTABLISHED, deadline);
        expectGreeting(this::answered);
        MemorySegment request = Arena.ofAuto().allocate(GreetingLayout.REQUEST_BYTES);
        GreetingLayout.writeRequest(request, inboxRing(), secret);
        sendGreeting(request, GreetingLayout.REQUEST_BYTES);
        while (remoteBytes < 0) {
            if (deadline.isOver()) {
                throw new IOException("it does not answer the greeting");
            }
            try {
                int unused = poll((memory, offset, length) -> {});
            } catch (FarheapException e) {
                throw new IOException(
                        "it does not accept this connection's secret, or has ended", e);
            }
            Thread.onSpinWait();
        }
        expectGreeting(null);
    }

    private void answered(MemorySegment message, long offset, int length) {
        try {
            GreetingLayout.checkAnswer(message, offset, length);
            greeted(
                    GreetingLayout.ringAddress(message, offset),
                    GreetingLayout.ringKey(message, offset));
        } catch (IOException e) {
            throw new FarheapException(Category.REPLICA, e.getMessage(), e);
        }
        remoteAddress = GreetingLayout.regionAddress(message, offset);
        remoteKey = GreetingLayout.regionKey(message, offset);
        remoteBytes = GreetingLayout.regionBytes(message, offset);
    }

    @Override
    public long remoteBytes() {
        return remoteBytes;
    }

    @Override
    public void write(long localOffset, int length, long remoteOffset) {
        check(localOffset, length, remoteOffset);
        prepareWrite(
                local.address() + localOffset,
                local.localKey(),
                length,
                remoteAddress + remoteOffset,
                remoteKey);
    }

    @Override
    public void read(long localOffset, int length, long remoteOffset) {
        check(localOffset, length, remoteOffset);
        prepareRead(
                local.address() + localOffset,
                local.localKey(),
                length,
                remoteAddress + remoteOffset,
                remoteKey);
    }

    private void check(long localOffset, int length, long remoteOffset) {
        checkRange("local memory", localOffset, length, local.memory().byteSize());
        checkRange("remote memory", remoteOffset, length, remoteBytes);
    }

    private static void checkRange(String what, long offset, int length, long size) {
        if (length <= 0 || offset < 0 || offset > size - length) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    length + " bytes at " + offset + " of the " + what + ", which has " + size);
        }
    }

    @Override
    boolean mayAnswer() {
        return true; // what arrives here is an answer: taking it is what lets the target go on
    }

    @Override
    void readDone(long address, int length, CompletionHandler handler) {
        handler.readDone(address - local.address(), length);
    }
}
