package io.farheap.replication.fabric.tcp;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.Receiver.ProtocolException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** The initiator's end over a socket. */
final class TcpConnection extends TcpEndpoint implements Connection {
    private static final int READS = 256;

    private final MemorySegment local;
    private final MemorySegment into;
    private final long remoteBytes;
    private final long publishedBytes;

    /** Reads on their way, oldest first: offset and length in the local memory. */
    private final long[] readOffset = new long[READS];

    private final int[] readLength = new int[READS];
    private final AtomicLong readsAsked = new AtomicLong();
    private final AtomicLong readsDone = new AtomicLong();

    TcpConnection(
            Wire wire,
            MemorySegment local,
            MemorySegment into,
            long remoteBytes,
            long publishedBytes,
            WaitStrategy wait)
            throws IOException {
        super(wire, local, into, MemorySegment.NULL, wait);
        this.local = local;
        this.into = into;
        this.remoteBytes = remoteBytes;
        this.publishedBytes = publishedBytes;
    }

    @Override
    public long remoteBytes() {
        return remoteBytes;
    }

    @Override
    public long publishedBytes() {
        return publishedBytes;
    }

    @Override
    public void write(long localOffset, int length, long remoteOffset) {
        check(local, localOffset, length, remoteOffset, remoteBytes);
        prepareWrite(localOffset, length, remoteOffset);
    }

    @Override
    public void read(long localOffset, int length, long remoteOffset) {
        check(into, localOffset, length, remoteOffset, remoteBytes);
        ask(localOffset, length, remoteOffset);
    }

    @Override
    public void readPublished(long localOffset, int length, long publishedOffset) {
        check(into, localOffset, length, publishedOffset, publishedBytes);
        ask(localOffset, length, remoteBytes + publishedOffset);
    }

    private void ask(long localOffset, int length, long remoteOffset) {
        long asked = readsAsked.get();
        if (asked - readsDone.get() == READS) {
            throw FarheapException.wrongUse("%s reads are on their way; poll before more", READS);
        }
        readOffset[(int) (asked % READS)] = localOffset;
        readLength[(int) (asked % READS)] = length;
        prepareRead(length, remoteOffset);
        readsAsked.set(asked + 1);
    }

    private static void check(
            MemorySegment memory, long localOffset, int length, long remoteOffset, long bytes) {
        try {
            checkRange("local memory", localOffset, length, memory.byteSize());
            checkRange("remote memory", remoteOffset, length, bytes);
        } catch (ProtocolException e) {
            throw new FarheapException(Category.WRONG_USE, e.getMessage(), e);
        }
    }

    @Override
    public long place(int kind, long offset, int length) throws ProtocolException {
        long done = readsDone.get();
        if (kind != Frame.READ_DATA) {
            throw new ProtocolException("a write, but only initiators write");
        }
        if (done == readsAsked.get() || readLength[(int) (done % READS)] != length) {
            throw new ProtocolException("the answer to a read that nobody asked for");
        }
        return readOffset[(int) (done % READS)];
    }

    @Override
    public int placed(int kind, long memoryOffset, int length, CompletionHandler handler) {
        readsDone.getAndIncrement();
        handler.readDone(memoryOffset, length);
        return 1;
    }

    @Override
    public boolean answerRead(long offset, int length) throws ProtocolException {
        throw new ProtocolException("a read, but only initiators read");
    }

    @Override
    public boolean maySend() {
        return true; // what arrives here is an answer: taking it is what lets the target go on
    }
}
