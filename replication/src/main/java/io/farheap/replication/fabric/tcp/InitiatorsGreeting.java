package io.farheap.replication.fabric.tcp;

import io.farheap.replication.fabric.MutualProof;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * An initiator's half of the greeting; no wait is longer than the deadline. A ProtocolException is
 * about who is there: connecting again is of no use.
 */
final class InitiatorsGreeting implements AutoCloseable {
    private final Wire wire;
    private final long deadline;
    private final Selector selector = Selector.open();

    /**
     * @param wire non-blocking
     * @param deadline as System.nanoTime counts
     */
    InitiatorsGreeting(Wire wire, long deadline) throws IOException {
        this.wire = wire;
        this.deadline = deadline;
    }

    void connect(SocketAddress target) throws IOException {
        SocketChannel channel = wire.socket();
        boolean connected = channel.connect(target);
        while (!connected) {
            await(SelectionKey.OP_CONNECT, "nobody answers");
            connected = channel.finishConnect();
        }
    }

    /**
     * Has the target prove itself, then does so itself.
     *
     * @param atEnd what it means when it ends the connection before it has
     * @return what the target says then
     */
    ByteBuffer prove(MutualProof proof, String atEnd) throws IOException {
        byte[] ours = MutualProof.nonce();
        write(Greeting.hello(ours));
        ByteBuffer challenge = read(Greeting.CHALLENGE_BYTES, atEnd);
        byte[] its = Greeting.nonce(challenge);
        if (!MutualProof.isEqual(proof.ofTarget(ours, its), Greeting.proof(challenge))) {
            throw new ProtocolException(
                    "whoever answers there does not know this connection's secret, and is told"
                            + " nothing");
        }
        write(ByteBuffer.wrap(proof.ofInitiator(ours, its)));
        return read(Greeting.WELCOME_BYTES, "it proved to be the agent, then ended the connection");
    }

    /** Says something before the greeting. */
    void write(ByteBuffer message) throws IOException {
        while (wire.write(message) >= 0 && message.hasRemaining()) {
            await(SelectionKey.OP_WRITE, "it does not read");
        }
        while (wire.hasUnsent()) {
            await(SelectionKey.OP_WRITE, "it does not read");
            wire.flush();
        }
    }

    private ByteBuffer read(int bytes, String atEnd) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(bytes);
        while (message.hasRemaining()) {
            if (wire.read(message) < 0) {
                throw new IOException(atEnd);
            }
            if (message.position() >= Long.BYTES && !Greeting.isOurs(message)) {
                throw new ProtocolException(
                        "whoever answers there is no farheap agent of this version");
            }
            if (message.hasRemaining() && !wire.hasUnread()) {
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
        SelectionKey key = wire.socket().register(selector, operation);
        selector.select(Math.max(1, left / 1_000_000));
        selector.selectedKeys().clear();
        key.interestOps(0);
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}
