package io.farheap.replication.fabric.verbs.disni;

import io.farheap.replication.fabric.Fabric;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.security.MessageDigest;

/**
 * The first message of each side. The target registers its region only once it has seen the secret.
 *
 * <pre>
 *   initiator:  magic 8 | address of its ring 8 | key of its ring 8 | secret 32
 *   target:     magic 8 | address of its ring 8 | key of its ring 8
 *               | address of the region 8 | its bytes 8 | its key 8
 *               | the same of what it publishes 24; zeros: nothing
 * </pre>
 */
final class GreetingLayout {
    static final int REQUEST_BYTES = 24 + Fabric.SECRET_BYTES;
    static final int ANSWER_BYTES = 72;

    static final int REGION = 24;
    static final int PUBLISHED = 48;

    private static final long MAGIC = 0x3242_5256_4852_4146L; // "FARHVRB2"
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private GreetingLayout() {}

    private static void writeRing(MemorySegment message, Region ring) {
        message.set(LONG, 0, MAGIC);
        message.set(LONG, 8, ring.address());
        message.set(LONG, 16, ring.remoteKey());
    }

    static void writeRequest(MemorySegment message, Region ring, byte[] secret) {
        writeRing(message, ring);
        MemorySegment.copy(secret, 0, message, ValueLayout.JAVA_BYTE, 24, secret.length);
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

    /** Takes the same time whatever is wrong with the secret. */
    static boolean accepts(MemorySegment message, long offset, int length, byte[] secret) {
        if (length != REQUEST_BYTES) {
            return false;
        }
        byte[] shown = message.asSlice(offset + 24, secret.length).toArray(ValueLayout.JAVA_BYTE);
        boolean known = MessageDigest.isEqual(shown, secret);
        return message.get(LONG, offset) == MAGIC && known;
    }

    static void checkAnswer(MemorySegment message, long offset, int length) throws IOException {
        if (length != ANSWER_BYTES || message.get(LONG, offset) != MAGIC) {
            throw new IOException("whoever answers there is no farheap agent");
        }
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
