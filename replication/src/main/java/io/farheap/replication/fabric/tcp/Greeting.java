package io.farheap.replication.fabric.tcp;

import io.farheap.replication.fabric.Fabric;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;

/**
 * The first bytes on a socket, before any frame.
 *
 * <pre>
 *   initiator:  magic 8 | secret 32
 *   target:     magic 8 | bytes of the region 4 | bytes published 4
 *                       (nothing: it closes when the secret is wrong)
 * </pre>
 */
final class Greeting {
    static final int REQUEST_BYTES = 8 + Fabric.SECRET_BYTES;
    static final int ANSWER_BYTES = 16;

    private static final long MAGIC = 0x3150_4354_4852_4146L; // "FARHTCP1"

    private Greeting() {}

    static ByteBuffer request(byte[] secret) {
        return ByteBuffer.allocate(REQUEST_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(MAGIC)
                .put(secret)
                .flip();
    }

    /** Takes the same time whatever is wrong with the secret. */
    static boolean accepts(ByteBuffer request, byte[] secret) {
        byte[] shown = new byte[Fabric.SECRET_BYTES];
        request.get(8, shown);
        boolean known = MessageDigest.isEqual(shown, secret);
        return request.order(ByteOrder.LITTLE_ENDIAN).getLong(0) == MAGIC && known;
    }

    static ByteBuffer answer(long regionBytes, long publishedBytes) {
        return ByteBuffer.allocate(ANSWER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(MAGIC)
                .putInt((int) regionBytes)
                .putInt((int) publishedBytes)
                .flip();
    }

    /** The region's size; negative when that was no answer. */
    static int regionBytes(ByteBuffer answer) {
        answer.order(ByteOrder.LITTLE_ENDIAN);
        return answer.getLong(0) == MAGIC ? answer.getInt(8) : -1;
    }

    /** The size of what is published; negative when that was no answer. */
    static int publishedBytes(ByteBuffer answer) {
        answer.order(ByteOrder.LITTLE_ENDIAN);
        return answer.getLong(0) == MAGIC ? answer.getInt(12) : -1;
    }
}
