package io.farheap.replication.fabric.tcp;

import io.farheap.replication.fabric.MutualProof;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The first bytes on a socket, before any frame ({@link MutualProof}).
 *
 * <pre>
 *   initiator:  magic 8 | nonce 32
 *   target:     magic 8 | nonce 32 | its proof 32
 *   initiator:  its proof 32              (nothing: it closes when the target's is wrong)
 *   target:     magic 8 | bytes of the region 4 | bytes published 4
 *                                         (nothing: it closes when the initiator's is wrong)
 * </pre>
 */
final class Greeting {
    static final int HELLO_BYTES = 8 + MutualProof.NONCE_BYTES;
    static final int CHALLENGE_BYTES = HELLO_BYTES + MutualProof.PROOF_BYTES;
    static final int WELCOME_BYTES = 16;

    private static final long MAGIC = 0x3250_4354_4852_4146L; // "FARHTCP2"

    private Greeting() {}

    static ByteBuffer hello(byte[] nonce) {
        return begun(HELLO_BYTES).put(nonce).flip();
    }

    static ByteBuffer challenge(byte[] nonce, byte[] proof) {
        return begun(CHALLENGE_BYTES).put(nonce).put(proof).flip();
    }

    static ByteBuffer welcome(long regionBytes, long publishedBytes) {
        return begun(WELCOME_BYTES).putInt((int) regionBytes).putInt((int) publishedBytes).flip();
    }

    private static ByteBuffer begun(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(MAGIC);
    }

    /** Whether it begins as a message of this version. */
    static boolean isOurs(ByteBuffer message) {
        return message.order(ByteOrder.LITTLE_ENDIAN).getLong(0) == MAGIC;
    }

    /** Of a hello or a challenge. */
    static byte[] nonce(ByteBuffer message) {
        byte[] nonce = new byte[MutualProof.NONCE_BYTES];
        message.get(8, nonce);
        return nonce;
    }

    /** Of a challenge. */
    static byte[] proof(ByteBuffer challenge) {
        byte[] proof = new byte[MutualProof.PROOF_BYTES];
        challenge.get(HELLO_BYTES, proof);
        return proof;
    }

    /** The region's size. */
    static int regionBytes(ByteBuffer welcome) {
        return welcome.getInt(8);
    }

    /** The size of what is published. */
    static int publishedBytes(ByteBuffer welcome) {
        return welcome.getInt(12);
    }
}
