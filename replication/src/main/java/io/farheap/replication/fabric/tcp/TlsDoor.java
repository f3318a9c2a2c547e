package io.farheap.replication.fabric.tcp;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.NoConnection;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.tls.TlsChannel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;

/** Waits for the one connection that is brought to it. */
final class TlsDoor implements TargetListener {
    private final String visitor;
    private final int port;
    private final MutualProof proof;
    private final MemorySegment region;
    private final MemorySegment published;
    private final WaitStrategy wait;
    private final Runnable shut;
    private final Selector selector = Selector.open();
    private TlsChannel entered; // guarded by this
    private boolean closed; // guarded by this

    /**
     * @param shut called when nobody is let in any more
     */
    TlsDoor(
            String visitor,
            int port,
            MutualProof proof,
            MemorySegment region,
            MemorySegment published,
            WaitStrategy wait,
            Runnable shut)
            throws IOException {
        this.visitor = visitor;
        this.port = port;
        this.proof = proof;
        this.region = region;
        this.published = published;
        this.wait = wait;
        this.shut = shut;
    }

    boolean isFor(String name) {
        return visitor.equals(name);
    }

    /** Takes a connection; false where there was one before. */
    synchronized boolean enter(TlsChannel channel) {
        if (closed || entered != null) {
            return false;
        }
        entered = channel;
        notifyAll();
        return true;
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public Endpoint accept(Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        TlsChannel channel = null;
        boolean let = false;
        try {
            channel = awaitEntry(deadline, bound);
            channel.widen();
            Wire wire = new TlsWire(channel);
            greet(wire, deadline);
            selector.close();
            Endpoint end = new TcpEndpoint(wire, region, region, published, wait);
            let = true;
            return end;
        } catch (IOException | ClosedSelectorException e) {
            throw NoConnection.refused("no data connection: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw NoConnection.refused("the wait for the data connection was interrupted", null);
        } finally {
            if (!let) {
                dismiss(channel);
            }
            shut.run();
        }
    }

    private synchronized TlsChannel awaitEntry(long deadline, Duration bound)
            throws InterruptedException {
        while (entered == null && !closed) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw NoConnection.within(bound);
            }
            wait(left / 1_000_000 + 1);
        }
        if (closed) {
            throw NoConnection.ended(null);
        }
        return entered;
    }

    private void greet(Wire wire, long deadline) throws IOException {
        PeerGreeting greeting = new PeerGreeting(wire);
        SelectionKey key = wire.socket().register(selector, SelectionKey.OP_READ);
        while (!greeting.proves(proof, Greeting.welcome(region.byteSize(), published.byteSize()))) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new IOException("it does not answer the greeting");
            }
            if (!wire.hasUnread()) {
                int unused = selector.select(Math.max(1, left / 1_000_000));
                selector.selectedKeys().clear();
            }
        }
        key.cancel();
        int unused = selector.selectNow();
    }

    private static void dismiss(TlsChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            System.getLogger(TlsDoor.class.getName())
                    .log(System.Logger.Level.DEBUG, "can't close a data connection", e);
        }
    }

    @Override
    public void close() {
        TlsChannel left;
        synchronized (this) {
            closed = true;
            left = selector.isOpen() ? entered : null; // nobody has taken it over yet
            notifyAll();
        }
        shut.run();
        try {
            selector.close();
        } catch (IOException e) {
            throw FarheapException.environment(e, "can't close the data port: %s", e.getMessage());
        }
        dismiss(left);
    }
}
