package io.farheap.benchmarks;

import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

/**
 * One end of the raw ping-pong: 64 bytes on a socket, with nothing around them, waited for in the
 * way of the fabric. Allocates nothing while it runs.
 */
final class RawEnd implements AutoCloseable {
    private static final int BYTES = 64;
    private static final Consumer<SelectionKey> NOTHING = key -> {};

    private final SocketChannel channel;
    private final WaitStrategy waiting;
    private final Selector selector = Selector.open();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);

    RawEnd(SocketChannel channel, WaitStrategy waiting) throws IOException {
        this.channel = channel;
        this.waiting = waiting;
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        SelectionKey unused = channel.register(selector, SelectionKey.OP_READ);
    }

    void send() throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            int unused = channel.write(buffer);
        }
    }

    /**
     * Waits for a message.
     *
     * @return false at the end of the connection
     */
    boolean receive() throws IOException {
        buffer.clear();
        long begin = 0;
        while (buffer.hasRemaining()) {
            int read = channel.read(buffer);
            if (read < 0) {
                return false;
            }
            if (read == 0) {
                long now = System.nanoTime();
                begin = begin == 0 ? now : begin;
                if (!waiting.pause(now - begin)) {
                    int unused = selector.select(NOTHING);
                }
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
