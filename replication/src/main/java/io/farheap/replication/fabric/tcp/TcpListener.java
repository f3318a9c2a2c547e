package io.farheap.replication.fabric.tcp;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.replication.fabric.Endpoint;
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
 * Lets in the first that shows the secret; strangers are looked at side by side, a few at a time.
 */
final class TcpListener implements TargetListener {
    private static final int STRANGERS = 16;

    private final byte[] secret;
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
        this.secret = secret.clone();
        this.region = region;
        this.published = published;
        this.wait = wait;
        this.selector = Selector.open();
        this.server = ServerSocketChannel.open();
        try {
            server.configureBlocking(false);
            server.bind(address, 8 * STRANGERS);
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
        Deque<SocketChannel> strangers = new ArrayDeque<>();
        SocketChannel initiator = null;
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
            initiator.keyFor(selector).cancel();
            selector.selectNow();
            return new TcpEndpoint(initiator, region, region, published, wait);
        } catch (IOException e) {
            TcpFabric.closeAfter(initiator, e);
            throw refused("no data connection: " + e.getMessage(), e);
        } catch (ClosedSelectorException e) {
            throw refused("the wait for the data connection was ended", e);
        } finally {
            strangers.forEach(TcpListener::dismiss);
            close();
        }
    }

    private SocketChannel look(Deque<SocketChannel> strangers) throws IOException {
        SocketChannel initiator = null;
        boolean knocks = false;
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.channel() == server) {
                knocks = true;
            } else if (initiator == null && showsSecret(key)) {
                initiator = (SocketChannel) key.channel();
            }
        }
        selector.selectedKeys().clear();
        if (knocks && initiator == null) {
            welcome(strangers); // last: one that has shown the secret must not make room for it
        }
        return initiator;
    }

    private void welcome(Deque<SocketChannel> strangers) throws IOException {
        SocketChannel stranger = server.accept();
        if (stranger == null) {
            return;
        }
        try {
            TcpFabric.prepare(stranger);
            stranger.register(
                    selector, SelectionKey.OP_READ, ByteBuffer.allocate(Greeting.REQUEST_BYTES));
        } catch (IOException e) {
            gone(stranger, e); // whoever comes and goes must not end the wait for the initiator
            return;
        }
        strangers.add(stranger);
        strangers.removeIf(known -> !known.isOpen());
        if (strangers.size() > STRANGERS) {
            dismiss(strangers.poll()); // the initiator shows its secret at once
        }
    }

    private boolean showsSecret(SelectionKey key) {
        SocketChannel stranger = (SocketChannel) key.channel();
        ByteBuffer request = (ByteBuffer) key.attachment();
        try {
            if (stranger.read(request) >= 0) {
                if (request.hasRemaining()) {
                    return false;
                }
                ByteBuffer answer = Greeting.answer(region.byteSize(), published.byteSize());
                if (Greeting.accepts(request, secret)
                        && stranger.write(answer) == Greeting.ANSWER_BYTES) {
                    return true;
                }
            }
        } catch (IOException e) {
            gone(stranger, e);
            return false;
        }
        dismiss(stranger);
        return false;
    }

    private static void gone(SocketChannel stranger, IOException why) {
        System.getLogger(TcpListener.class.getName())
                .log(System.Logger.Level.DEBUG, "a stranger went away", why);
        dismiss(stranger);
    }

    private static void dismiss(SocketChannel stranger) {
        try {
            stranger.close();
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
