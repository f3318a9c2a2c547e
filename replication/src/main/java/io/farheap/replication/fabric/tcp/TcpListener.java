package io.farheap.replication.fabric.tcp;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.MutualProof;
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
import java.util.Deque;

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
        long deadline = System.nanoTime() + bound.toNanos();
        Deque<Stranger> strangers = new ArrayDeque<>();
        Stranger initiator = null;
        try {
            while (initiator == null) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw refused("no initiator came within " + bound.toMillis() + " ms", null);
                }
                selector.select(Math.max(1, left / 1_000_000));
                initiator = look(strangers);
            }
            strangers.remove(initiator);
            initiator.channel().keyFor(selector).cancel();
            selector.selectNow();
            return new TcpEndpoint(initiator.channel(), region, region, published, wait);
        } catch (IOException e) {
            TcpFabric.closeAfter(initiator == null ? null : initiator.channel(), e);
            throw refused("no data connection: " + e.getMessage(), e);
        } catch (ClosedSelectorException e) {
            throw refused("the wait for the data connection was ended", e);
        } finally {
            strangers.forEach(TcpListener::dismiss);
            close();
        }
    }

    private Stranger look(Deque<Stranger> strangers) throws IOException {
        Stranger initiator = null;
        boolean knocks = false;
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.channel() == server) {
                knocks = true;
            } else if (initiator == null && proves((Stranger) key.attachment())) {
                initiator = (Stranger) key.attachment();
            }
        }
        selector.selectedKeys().clear();
        if (knocks && initiator == null) {
            welcome(strangers); // last: one that has proven itself must not make room for it
        }
        return initiator;
    }

    private void welcome(Deque<Stranger> strangers) throws IOException {
        SocketChannel channel = server.accept();
        if (channel == null) {
            return;
        }
        Stranger stranger = new Stranger(channel);
        try {
            TcpFabric.prepare(channel);
            channel.register(selector, SelectionKey.OP_READ, stranger);
        } catch (IOException e) {
            gone(stranger, e); // whoever comes and goes must not end the wait for the initiator
            return;
        }
        strangers.add(stranger);
        strangers.removeIf(known -> !known.channel().isOpen());
        if (strangers.size() > STRANGERS) {
            Stranger silent = silentOf(strangers);
            strangers.remove(silent);
            dismiss(silent);
        }
    }

    /** The initiator says hello at once: the oldest that has not, or else the oldest. */
    private static Stranger silentOf(Deque<Stranger> strangers) {
        return strangers.stream()
                .filter(stranger -> !stranger.isChallenged())
                .findFirst()
                .orElseGet(strangers::peek);
    }

    private boolean proves(Stranger stranger) {
        try {
            ByteBuffer welcome = Greeting.welcome(region.byteSize(), published.byteSize());
            return stranger.proves(proof, welcome);
        } catch (IOException e) {
            gone(stranger, e);
            return false;
        }
    }

    private static void gone(Stranger stranger, IOException why) {
        System.getLogger(TcpListener.class.getName())
                .log(System.Logger.Level.DEBUG, "a stranger is turned away", why);
        dismiss(stranger);
    }

    private static void dismiss(Stranger stranger) {
        try {
            stranger.channel().close();
        } catch (IOException e) {
            System.getLogger(TcpListener.class.getName())
                    .log(System.Logger.Level.DEBUG, "can't close a stranger's connection", e);
        }
    }

    private static FarheapException refused(String message, Throwable cause) {
        return new FarheapException(Category.REPLICA, message, cause);
    }

    @Override
    public void close() {
        try {
            selector.close();
            server.close();
        } catch (IOException e) {
            throw new FarheapException(
                    Category.ENVIRONMENT, "can't close the data port: " + e.getMessage(), e);
        }
    }
}
