package io.farheap.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Takes blocks of bytes and answers each with one byte, for one connection. */
final class BlockServer implements Runnable {
    static final int BLOCK = 1 << 20;

    private final ServerSocketChannel server;

    BlockServer() throws IOException {
        this.server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    int port() {
        return server.socket().getLocalPort();
    }

    void start() {
        Thread thread = new Thread(this, "blocks");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void run() {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
        ByteBuffer answer = ByteBuffer.allocateDirect(1);
        try (SocketChannel channel = server.accept()) {
            while (read(channel, block)) {
                int unused = channel.write(answer.clear());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fills the buffer; false at the end of the connection. */
    static boolean read(SocketChannel channel, ByteBuffer into) throws IOException {
        into.clear();
        while (into.hasRemaining()) {
            if (channel.read(into) < 0) {
                return false;
            }
        }
        return true;
    }
}
