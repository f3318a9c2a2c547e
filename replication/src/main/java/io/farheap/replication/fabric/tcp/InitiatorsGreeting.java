package io.farheap.replication.fabric.tcp;

import io.farheap.replication.fabric.MutualProof;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** An initiator's half of the greeting; no wait is longer than the deadline. */
final class InitiatorsGreeting implements AutoCloseable {
    private final SocketChannel channel;
    private final long deadline;
    private final Selector selector = Selector.open();

    /**
     * @param channel not connected yet, non-blocking
     * @param deadline as System.nanoTime counts
     */
    InitiatorsGreeting(SocketChannel channel, long deadline) throws IOException {
        this.channel = channel;
        this.deadline = deadline;
    }

    void connect(SocketAddress target) throws IOException {
        boolean connected = channel.connect(target);
        while (!connected) {
            await(SelectionKey.OP_CONNECT, "nobody answers");
            connected = channel.finishConnect();
        }
    }

    /**
     * Has the target prove itself, then does so itself.
     *
     * @return what the target says then
     */
    ByteBuffer prove(MutualProof proof) throws IOException {
        byte[] ours = MutualProof.nonce();
        write(Greeting.hello(ours));
        ByteBuffer challenge =
                read(
                        Greeting.CHALLENGE_BYTES,
                        "it ended the connection and did not prove that it is the agent; are both"
                                + " sides of one version?");
        byte[] its = Greeting.nonce(challenge);
        if (!MutualProof.isEqual(proof.ofTarget(ours, its), Greeting.proof(challenge))) {
            throw new IOException(
                    "whoever answers there does not know this connection's secret, and is told"
                            + " nothing");
        }
        write(ByteBuffer.wrap(proof.ofInitiator(ours, its)));
        return read(Greeting.WELCOME_BYTES, "it proved to be the agent, then ended the connection");
    }

    private void write(ByteBuffer message) throws IOException {
        while (channel.write(message) >= 0 && message.hasRemaining()) {
            await(SelectionKey.OP_WRITE, "it does not read");
        }
    }

    private ByteBuffer read(int bytes, String atEnd) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(bytes);
        while (message.hasRemaining()) {
            if (channel.read(message) < 0) {
                throw new IOException(atEnd);
            }
            if (message.position() >= Long.BYTES && !Greeting.isOurs(message)) {
                throw new IOException("whoever answers there is no farheap agent of this version");
            }
            if (message.hasRemaining()) {
                await(SelectionKey.OP_READ, "it does not answer the greeting");
            }
        }
        return message;
    }

    private void await(int operation, String otherwise) throws IOException {
        long left = deadline - System.nanoTime();
        if (left <= 0 || Thread.currentThread().isInterrupted()) {
            throw new IOException(left <= 0 ? otherwise : "interrupted");
        }
        SelectionKey key = channel.register(selector, operation);
        selector.select(Math.max(1, left / 1_000_000));
        selector.selectedKeys().clear();
        key.interestOps(0);
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
