package io.farheap.replication.fabric.tcp;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.Receiver.ProtocolException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** What both ends over a socket share; as it stands, the target's end. */
class TcpEndpoint implements Endpoint, Receiver.Executor {
    private static final int UNSENT_BYTES = 4 * Endpoint.MAX_MESSAGE_BYTES;
    private static final Consumer<SelectionKey> NOTHING = key -> {};

    private final Wire wire;
    private final SocketChannel channel;
    private final String peer;
    private final WaitStrategy wait;
    private final Selector selector;
    private final SelectionKey key;
    private final MemorySegment memory;
    private final MemorySegment published;
    private final Receiver receiver;

    /** Guards {@link #queue}: polling pushes on what posting could not. */
    private final ReentrantLock sending = new ReentrantLock();

    private final SendQueue queue;
    private volatile boolean unsent;
    private volatile boolean woken;

    /** Guards the first store to {@link #broken}. */
    private final Object breaking = new Object();

    private volatile FarheapException broken;

    private final AtomicLong workRequests = new AtomicLong();
    private final AtomicLong doorbells = new AtomicLong();
    private final AtomicLong completions = new AtomicLong();
    private final AtomicLong waits = new AtomicLong();

    /**
     * @param wire connected, greeted and non-blocking
     * @param memory the registered memory that bytes are sent from
     * @param into the one that they arrive in
     * @param published what the peer may read besides
     */
    TcpEndpoint(
            Wire wire,
            MemorySegment memory,
            MemorySegment into,
            MemorySegment published,
            WaitStrategy wait)
            throws IOException {
        this.wire = wire;
        this.channel = wire.socket();
        this.peer = String.valueOf(channel.getRemoteAddress());
        this.memory = memory;
        this.published = published;
        this.wait = wait;
        this.selector = Selector.open();
        this.key = channel.register(selector, SelectionKey.OP_READ);
        this.queue = new SendQueue(wire, UNSENT_BYTES, memory);
        this.receiver = new Receiver(wire, into, this);
    }

    @Override
    public final boolean canSend(int length) {
        sending.lock();
        try {
            return queue.hasRoom(length);
        } finally {
            sending.unlock();
        }
    }

    @Override
    public final void send(MemorySegment message, long offset, int length) {
        if (length <= 0 || length > MAX_MESSAGE_BYTES) {
            throw FarheapException.wrongUse("a message of %s bytes can't be sent", length);
        }
        checkUsable();
        sending.lock();
        try {
            queue.frame(Frame.SEND, 0, message, offset, length);
        } finally {
            sending.unlock();
        }
        workRequests.getAndIncrement();
    }

    final void prepareWrite(long memoryOffset, int length, long remoteOffset) {
        checkUsable();
        sending.lock();
        try {
            queue.framed(Frame.WRITE, remoteOffset, memoryOffset, length);
        } finally {
            sending.unlock();
        }
        workRequests.getAndIncrement();
    }

    final void prepareRead(int length, long remoteOffset) {
        checkUsable();
        sending.lock();
        try {
            queue.request(Frame.READ, remoteOffset, length);
        } finally {
            sending.unlock();
        }
        workRequests.getAndIncrement();
    }

    @Override
    public final void post() {
        checkUsable();
        sending.lock();
        try {
            queue.post();
            pushLocked();
        } catch (IOException e) {
            throw breaks(e.getMessage(), e);
        } finally {
            sending.unlock();
        }
        doorbells.getAndIncrement();
    }

    private void pushLocked() throws IOException {
        queue.push();
        unsent = !queue.isEmpty();
    }

    private void pushOn() throws IOException {
        if (unsent && sending.tryLock()) {
            try {
                pushLocked();
            } finally {
                sending.unlock();
            }
        }
    }

    @Override
    public final int poll(CompletionHandler handler) {
        checkUsable();
        try {
            pushOn();
            int done = receiver.poll(handler);
            if (done > 0) {
                completions.getAndAdd(done);
            }
            return done;
        } catch (IOException e) {
            throw breaks(e.getMessage(), e);
        } catch (ProtocolException e) {
            throw breaks("it sent " + e.getMessage(), e);
        }
    }

    @Override
    public final int await(CompletionHandler handler, long nanos, boolean crowded) {
        waits.getAndIncrement();
        long begin = System.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                int done = poll(handler);
                long waited = System.nanoTime() - begin;
                if (done > 0 || waited >= nanos || woken) {
                    woken = false;
                    return done;
                }
                if (!wait.pause(waited, crowded)) {
                    // an interrupt must not cut a wait short: it is kept for the caller
                    interrupted |= Thread.interrupted();
                    block(nanos - waited);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public final boolean hasUnsent() {
        return unsent;
    }

    @Override
    public final void wake() {
        woken = true;
        selector.wakeup();
    }

    private void block(long nanos) {
        try {
            if (wire.hasUnread() && !receiver.isStalled()) {
                return; // a selector knows nothing of it
            }
            int interest =
                    (receiver.isStalled() ? 0 : SelectionKey.OP_READ)
                            | (unsent ? SelectionKey.OP_WRITE : 0);
            if (key.interestOps() != interest) {
                key.interestOps(interest);
            }
            selector.select(NOTHING, Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        } catch (IOException e) {
            throw breaks(e.getMessage(), e);
        } catch (ClosedSelectorException | CancelledKeyException e) {
            throw breaks("it was closed", e);
        }
    }

    private void checkUsable() {
        FarheapException cause = broken;
        if (cause != null) {
            throw new FarheapException(Category.REPLICA, cause.getMessage(), cause);
        }
    }

    /** Breaks the connection for good; the first cause is the one told. */
    private FarheapException breaks(String what, Throwable cause) {
        synchronized (breaking) {
            if (broken == null) {
                broken =
                        FarheapException.replica(
                                cause, "the data connection with %s broke: %s", peer, what);
            }
        }
        release();
        return broken;
    }

    @Override
    public final void close() {
        synchronized (breaking) {
            if (broken == null) {
                broken =
                        FarheapException.replica(
                                "the data connection with %s was closed on this side", peer);
            }
        }
        release();
    }

    private void release() {
        try {
            channel.close();
            selector.close();
        } catch (IOException e) {
            broken.addSuppressed(e);
        }
    }

    @Override
    public final FabricCounters counters() {
        return new FabricCounters(
                workRequests.get(), doorbells.get(), completions.get(), waits.get(), sentBytes());
    }

    private long sentBytes() {
        sending.lock();
        try {
            return queue.sentBytes();
        } finally {
            sending.unlock();
        }
    }

    @Override
    public final String peer() {
        return peer;
    }

    static void checkRange(String what, long offset, int length, long size)
            throws ProtocolException {
        if (length <= 0 || offset < 0 || offset > size || length > size - offset) {
            throw new ProtocolException(
                    what + " of " + length + " bytes at " + offset + " of a region of " + size);
        }
    }

    @Override
    public long place(int kind, long offset, int length) throws ProtocolException {
        if (kind != Frame.WRITE) {
            throw new ProtocolException("the answer to a read that nobody asked for");
        }
        checkRange("a write", offset, length, memory.byteSize());
        return offset;
    }

    @Override
    public int placed(int kind, long memoryOffset, int length, CompletionHandler handler) {
        return 0; // one-sided: this side is not told
    }

    @Override
    public boolean answerRead(long offset, int length) throws ProtocolException {
        boolean ofRegion = offset < memory.byteSize();
        long publishedOffset = offset - memory.byteSize();
        if (ofRegion) {
            checkRange("a read", offset, length, memory.byteSize());
        } else {
            checkRange("a read", publishedOffset, length, published.byteSize());
        }
        sending.lock();
        try {
            if (!queue.hasRoom(SendQueue.COPIED_BYTES)) {
                return false;
            }
            if (ofRegion) {
                queue.framed(Frame.READ_DATA, 0, offset, length);
            } else {
                queue.frame(Frame.READ_DATA, 0, published, publishedOffset, length);
            }
            queue.post();
            unsent = true;
            return true;
        } finally {
            sending.unlock();
        }
    }

    @Override
    public boolean maySend() {
        return canSend(MAX_MESSAGE_BYTES);
    }
}
