package io.farheap.live;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A connection to another process that may be stopped or hang: whoever waits for its bytes does so
 * for a bounded time. For one thread.
 */
final class PatientChannel implements ByteChannel {
    private static final long LOOK_MILLIS = 1000;

    private final SocketChannel channel;
    private final long pid;
    private final Selector selector;
    private final SelectionKey key;
    private final StoppedTime stopped = new StoppedTime();
    private long patience = Long.MAX_VALUE;

    /** The process has neither sent nor taken a byte for as long as was to be waited. */
    static final class SilentException extends IOException {
        private static final long serialVersionUID = 1L;

        SilentException(String message) {
            super(message);
        }
    }

    private PatientChannel(SocketChannel channel, long pid) throws IOException {
        this.channel = channel;
        this.pid = pid;
        this.selector = Selector.open();
        this.key = channel.register(selector, SelectionKey.OP_READ);
    }

    /**
     * Connects to a process's socket, at once or not at all.
     *
     * @throws IOException also where it has no place for one more
     */
    static PatientChannel connect(SocketChannel channel, Path place, long pid) throws IOException {
        channel.configureBlocking(false);
        if (!channel.connect(UnixDomainSocketAddress.of(place))) {
            throw new IOException("it takes no more connections at this moment");
        }
        return new PatientChannel(channel, pid);
    }

    /** From now on it is waited at most so long for one that runs. */
    void setPatience(long duration, TimeUnit unit) {
        patience = unit.toNanos(duration);
    }

    @Override
    public int read(ByteBuffer buffer) throws IOException {
        int read = channel.read(buffer);
        long begin = System.nanoTime();
        while (read == 0 && buffer.hasRemaining()) {
            await(SelectionKey.OP_READ, begin);
            read = channel.read(buffer);
        }
        return read;
    }

    @Override
    public int write(ByteBuffer buffer) throws IOException {
        int written = channel.write(buffer);
        long begin = System.nanoTime();
        while (written == 0 && buffer.hasRemaining()) {
            await(SelectionKey.OP_WRITE, begin);
            written = channel.write(buffer);
        }
        return written;
    }

    private void await(int operation, long begin) throws IOException {
        SelectionKey unused = key.interestOps(operation);
        int ready = selector.select(LOOK_MILLIS);
        selector.selectedKeys().clear();
        if (ready > 0) {
            return;
        }
        long now = System.nanoTime();
        boolean isStopped = isStopped();
        stopped.look(isStopped, begin, now);
        if (stopped.isLong(now) || now - begin > patience) {
            throw new SilentException(
                    (isStopped ? "is stopped, and " : "")
                            + "has said nothing for "
                            + TimeUnit.NANOSECONDS.toSeconds(now - begin)
                            + " s");
        }
    }

    /** By a signal or a debugger. */
    private boolean isStopped() throws IOException {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        return Files.exists(status)
                && Files.readAllLines(status).stream()
                        .anyMatch(line -> line.matches("State:\\s+[Tt]\\b.*"));
    }

    @Override
    public boolean isOpen() {
        return channel.isOpen();
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            selector.close();
        }
    }
}
