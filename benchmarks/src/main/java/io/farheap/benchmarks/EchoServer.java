package io.farheap.benchmarks;

import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Sends every message back to where it came from, for one connection. */
final class EchoServer implements Runnable {
    private final ServerSocketChannel server;
    private final WaitStrategy waiting;

    EchoServer(WaitStrategy waiting) throws IOException {
        this.waiting = waiting;
        this.server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    int port() {
        return server.socket().getLocalPort();
    }

    void start() {
        Thread thread = new Thread(this, "echo");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        try (SocketChannel channel = server.accept();
                RawEnd end = new RawEnd(channel, waiting)) {
            while (end.receive()) {
                end.send();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
