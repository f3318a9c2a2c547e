package io.farheap.replication.fabric.verbs.disni;

import io.farheap.replication.fabric.MutualProof;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The first two messages of each side ({@link MutualProof}). The target registers its region only
 * once the initiator has proven that it knows the secret.
 *
 * <pre>
 *   initiator:  magic 8 | nonce 32
 *   target:     magic 8 | nonce 32 | its proof 32
 *   initiator:  magic 8 | address of its ring 8 | key of its ring 8 | its proof 32
 *   target:     magic 8 | address of its ring 8 | key of its ring 8
 *               | address of the region 8 | its bytes 8 | its key 8
 *               | the same of what it publishes 24; zeros: nothing
 * </pre>
 */
final class GreetingLayout {
    static final int HELLO_BYTES = 8 + MutualProof.NONCE_BYTES;
    static final int CHALLENGE_BYTES = HELLO_BYTES + MutualProof.PROOF_BYTES;
    static final int REQUEST_BYTES = 24 + MutualProof.PROOF_BYTES;
    static final int ANSWER_BYTES = 72;

    static final int REGION = 24;
    static final int PUBLISHED = 48;

    private static final long MAGIC = 0x3342_5256_4852_4146L; // "FARHVRB3"
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private GreetingLayout() {}

    private static void writeRing(MemorySegment message, Region ring) {
        message.set(LONG, 0, MAGIC);
        message.set(LONG, 8, ring.address());
        message.set(LONG, 16, ring.remoteKey());
    }

    static void writeHello(MemorySegment message, byte[] nonce) {
        message.set(LONG, 0, MAGIC);
        writeBytes(message, 8, nonce);
    }

    static void writeChallenge(MemorySegment message, byte[] nonce, byte[] proof) {
        writeHello(message, nonce);
        writeBytes(message, HELLO_BYTES, proof);
    }

    static void writeRequest(MemorySegment message, Region ring, byte[] proof) {
        writeRing(message, ring);
        writeBytes(message, 24, proof);
    }

    private static void writeBytes(MemorySegment message, long at, byte[] bytes) {
        MemorySegment.copy(bytes, 0, message, ValueLayout.JAVA_BYTE, at, bytes.length);
    }

    /**
     * @param published null where nothing is
     */
    static void writeAnswer(MemorySegment message, Region ring, Region region, Region published) {
        writeRing(message, ring);
        writeRegion(message, REGION, region);
        if (published != null) {
            writeRegion(message, PUBLISHED, published);
        }
    }

    private static void writeRegion(MemorySegment message, int at, Region region) {
        message.set(LONG, at, region.address());
        message.set(LONG, at + 8, region.memory().byteSize());
        message.set(LONG, at + 16, region.remoteKey());
    }

    /**
     * @param bytes those of the message that is expected
     * @throws IOException when it is another one
     */
    static void check(MemorySegment message, long offset, int length, int bytes)
            throws IOException {
        if (length != bytes || message.get(LONG, offset) != MAGIC) {
            throw new IOException("whoever is there is no farheap of this version");
        }
    }

    /** Of a hello or a challenge. */
    static byte[] nonce(MemorySegment message, long offset) {
        return bytes(message, offset + 8, MutualProof.NONCE_BYTES);
    }

    /** Of a challenge. */
    static byte[] targetsProof(MemorySegment message, long offset) {
        return bytes(message, offset + HELLO_BYTES, MutualProof.PROOF_BYTES);
    }

    /** Of a request. */
    static byte[] initiatorsProof(MemorySegment message, long offset) {
        return bytes(message, offset + 24, MutualProof.PROOF_BYTES);
    }

    private static byte[] bytes(MemorySegment message, long at, int length) {
        return message.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
    }

    static long ringAddress(MemorySegment message, long offset) {
        return message.get(LONG, offset + 8);
    }

    static int ringKey(MemorySegment message, long offset) {
        return (int) message.get(LONG, offset + 16);
    }

    /** Where memory of the target is: {@link #REGION} or {@link #PUBLISHED}. */
    static RemoteRegion region(MemorySegment message, long offset, int which) {
        return new RemoteRegion(
                message.get(LONG, offset + which),
                message.get(LONG, offset + which + 8),
                (int) message.get(LONG, offset + which + 16));
    }
}
