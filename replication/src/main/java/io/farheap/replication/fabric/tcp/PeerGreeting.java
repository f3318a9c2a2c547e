package io.farheap.replication.fabric.tcp;

import io.farheap.replication.fabric.MutualProof;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Who has come to a data port, and has not proven yet that it knows the secret. */
final class PeerGreeting {
    private final Wire wire;
    private ByteBuffer incoming = ByteBuffer.allocate(Greeting.HELLO_BYTES);
    private byte[] expected;

    PeerGreeting(Wire wire) {
        this.wire = wire;
    }

    Wire wire() {
        return wire;
    }

    SocketChannel channel() {
        return wire.socket();
    }

    /** Whether it has said hello, and is to show its proof. */
    boolean isChallenged() {
        return expected != null;
    }

    /**
     * Takes what it has said meanwhile.
     *
     * @param welcome what it is told when it has proven itself
     * @return whether it has
     * @throws IOException when it is no initiator of this connection, or is gone
     */
    boolean proves(MutualProof proof, ByteBuffer welcome) throws IOException {
        if (wire.read(incoming) < 0) {
            throw new IOException("it has gone without a proof");
        }
        if (incoming.hasRemaining()) {
            return false;
        }
        if (!isChallenged()) {
            challenge(proof);
            return false;
        }
        if (!MutualProof.isEqual(expected, incoming.array())) {
            throw new IOException("it does not know the secret");
        }
        say(welcome);
        return true;
    }

    private void challenge(MutualProof proof) throws IOException {
        if (!Greeting.isOurs(incoming)) {
            throw new IOException("it does not greet as an initiator of this version");
        }
        byte[] its = Greeting.nonce(incoming);
        byte[] ours = MutualProof.nonce();
        expected = proof.ofInitiator(its, ours);
        incoming = ByteBuffer.allocate(MutualProof.PROOF_BYTES);
        say(Greeting.challenge(ours, proof.ofTarget(its, ours)));
    }

    /** What is so short fits into the buffer of any socket that nothing was said on. */
    private void say(ByteBuffer message) throws IOException {
        if (wire.write(message) < message.limit()) {
            throw new IOException("it does not read");
        }
    }
}
