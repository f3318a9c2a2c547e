package io.farheap.replication.tls;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLContext;

/** Makes a connection within TLS, in a bounded time. {@link #close} is for any thread. */
public final class TlsDialler implements AutoCloseable {
    /** Who is closed while it waits finds out after this. */
    private static final long LOOK_MILLIS = 100;

    private final InetSocketAddress target;
    private final SSLContext context;
    private final String protocol;
    private final SocketChannel socket;

    /**
     * @param target with the name that its certificate must have
     * @param protocol what is to be spoken there
     */
    public TlsDialler(InetSocketAddress target, SSLContext context, String protocol)
            throws IOException {
        this.target = target;
        this.context = context;
        this.protocol = protocol;
        this.socket = SocketChannel.open();
    }

    /**
     * Connects, and shakes hands. In version 1.3 the other side has not yet judged this one's
     * certificate then: it says so where its first bytes would be.
     *
     * @param deadline as System.nanoTime counts
     * @return not blocking, on no selector
     */
    public TlsChannel dial(long deadline) throws IOException {
        boolean done = false;
        try (Selector selector = Selector.open()) {
            socket.configureBlocking(false);
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            SelectionKey key = socket.register(selector, 0);
            boolean connected = socket.connect(target);
            while (!connected) {
                await(key, SelectionKey.OP_CONNECT, deadline, "nobody answers there");
                connected = socket.finishConnect();
            }
            TlsChannel channel = TlsChannel.dialled(socket, context, target, protocol);
            for (int needed = channel.handshake(); needed != 0; needed = channel.handshake()) {
                await(key, needed, deadline, "it does not answer the TLS handshake");
            }
            if (!channel.protocol().equals(protocol)) {
                throw new IOException("whoever answers there does not speak " + protocol);
            }
            done = true;
            return channel;
        } finally {
            if (!done) {
                close();
            }
        }
    }

    private void await(SelectionKey key, int operation, long deadline, String otherwise)
            throws IOException {
        key.interestOps(operation);
        Selector selector = key.selector();
        while (selector.selectNow() == 0) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                throw new SocketTimeoutException(left <= 0 ? otherwise : "interrupted");
            }
            if (selector.select(Math.min(left, LOOK_MILLIS)) > 0) {
                break;
            }
            if (!socket.isOpen()) {
                throw new AsynchronousCloseException();
            }
        }
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
