package io.farheap.replication.fabric.tcp;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.NoConnection;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Lets in the first that proves to know the secret; strangers are looked at side by side, some at a
 * time.
 */
final class TcpListener implements TargetListener {
    private static final int STRANGERS = 64;

    private final MutualProof proof;
    private final MemorySegment region;
    private final MemorySegment published;
    private final WaitStrategy wait;
    private final ServerSocketChannel server;
    private final Selector selector;
    private final int port;

    TcpListener(
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
        this.selector = Selector.open();
        this.server = ServerSocketChannel.open();
        try {
            server.configureBlocking(false);
            server.bind(address, 2 * STRANGERS);
            server.register(selector, SelectionKey.OP_ACCEPT);
            this.port = server.socket().getLocalPort();
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public Endpoint accept(Duration bound) {
        Deque<PeerGreeting> strangers = new ArrayDeque<>();
        try {
            PeerGreeting initiator = await(strangers, bound);
            Endpoint end = letIn(initiator);
            strangers.remove(initiator); // its connection is the endpoint's now
            return end;
        } catch (IOException e) {
            if (!selector.isOpen()) {
                throw NoConnection.ended(e);
            }
            throw NoConnection.refused("no data connection: " + e.getMessage(), e);
        } catch (ClosedSelectorException e) {
            throw NoConnection.ended(e);
        } finally {
            strangers.forEach(TcpListener::dismiss);
            close();
        }
    }

    /** Whoever proves itself first, with all that came until then in {@code strangers}. */
    PeerGreeting await(Deque<PeerGreeting> strangers, Duration bound) throws IOException {
        long deadline = System.nanoTime() + bound.toNanos();
        List<SelectionKey> ready = new ArrayList<>();
        PeerGreeting initiator = null;
        while (initiator == null) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw NoConnection.within(bound);
            }
            ready.clear();
            // Not by the selector's own set: who closes the selector changes that meanwhile.
            int unused = selector.select(ready::add, Math.max(1, left / 1_000_000));
            initiator = look(ready, strangers);
        }
        return initiator;
    }

    private PeerGreeting look(List<SelectionKey> ready, Deque<PeerGreeting> strangers)
            throws IOException {
        PeerGreeting initiator = null;
        boolean knocks = false;
        for (SelectionKey key : ready) {
            if (key.channel() == server) {
                knocks = true;
            } else if (initiator == null && proves((PeerGreeting) key.attachment())) {
                initiator = (PeerGreeting) key.attachment();
            }
        }
        if (knocks && initiator == null) {
            welcome(strangers); // last: one that has proven itself must not make room for it
        }
        return initiator;
    }

    /**
     * The connection's end.
     *
     * @throws ClosedSelectorException when this is closed meanwhile: the connection is the caller's
     */
    Endpoint letIn(PeerGreeting initiator) throws IOException {
        SelectionKey key = initiator.channel().keyFor(selector);
        if (key == null) {
            throw new ClosedSelectorException();
        }
        key.cancel();
        int unused = selector.selectNow();
        return new TcpEndpoint(initiator.wire(), region, region, published, wait);
    }

    /**
     * Lets one in that has to prove itself.
     *
     * @param strangers gets it before anything can fail: the caller closes it
     */
    void welcome(Deque<PeerGreeting> strangers) throws IOException {
        SocketChannel channel = server.accept();
        if (channel == null) {
            return;
        }
        PeerGreeting stranger = new PeerGreeting(new PlainWire(channel));
        strangers.add(stranger);
        try {
            TcpFabric.prepare(channel);
            SelectionKey unused = channel.register(selector, SelectionKey.OP_READ, stranger);
        } catch (IOException e) {
            gone(stranger, e); // whoever comes and goes must not end the wait for the initiator
        }
        strangers.removeIf(known -> !known.channel().isOpen());
        if (strangers.size() > STRANGERS) {
            PeerGreeting silent = silentOf(strangers);
            strangers.remove(silent);
            dismiss(silent);
        }
    }

    /** The initiator says hello at once: the oldest that has not, or else the oldest. */
    private static PeerGreeting silentOf(Deque<PeerGreeting> strangers) {
        return strangers.stream()
                .filter(stranger -> !stranger.isChallenged())
                .findFirst()
                .orElseGet(strangers::peek);
    }

    private boolean proves(PeerGreeting stranger) {
        try {
            ByteBuffer welcome = Greeting.welcome(region.byteSize(), published.byteSize());
            return stranger.proves(proof, welcome);
        } catch (IOException e) {
            gone(stranger, e);
            return false;
        }
    }

    private static void gone(PeerGreeting stranger, IOException why) {
        System.getLogger(TcpListener.class.getName())
                .log(System.Logger.Level.DEBUG, "a stranger is turned away", why);
        dismiss(stranger);
    }

    private static void dismiss(PeerGreeting stranger) {
        try {
            stranger.channel().close();
        } catch (IOException e) {
            System.getLogger(TcpListener.class.getName())
                    .log(System.Logger.Level.DEBUG, "can't close a stranger's connection", e);
        }
    }

    /** Ends the wait of {@link #accept}. */
    void endWait() throws IOException {
        selector.close();
    }

    @Override
    public void close() {
        try {
            endWait();
            server.close();
        } catch (IOException e) {
            throw FarheapException.environment(e, "can't close the data port: %s", e.getMessage());
        }
    }
}
