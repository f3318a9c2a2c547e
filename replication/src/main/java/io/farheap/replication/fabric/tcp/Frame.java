package io.farheap.replication.fabric.tcp;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * What travels on the socket after the greeting: a header, then its bytes.
 *
 * <pre>
 *   0  kind 4 | length 4      of what follows the header
 *   8  offset 8               WRITE, READ: in the target's region, a READ's behind it in what
 *                             the target publishes; else 0
 *  16  checksum 4             SEND: CRC32C of the message; else 0
 *  20  checksum 4             CRC32C of the 20 bytes before it
 *  24  the message, or the bytes written or read (READ asks, nothing follows)
 * </pre>
 *
 * <p>The socket's own checksum misses one garbled segment in 65,536. A header that is not what was
 * sent would put bytes where others lie, and a message can claim that a record is durable: both are
 * checked. Bytes written are records, which have checksums of their own.
 *
 * <p>Little-endian. READ's length is what it asks for; READ_DATA answers reads in their order.
 */
final class Frame {
    static final int HEADER_BYTES = 24;

    /** Kinds are no small numbers, so that garbage is seldom taken for one. */
    static final int SEND = 0x46485301;

    static final int WRITE = 0x46485302;
    static final int READ = 0x46485303;
    static final int READ_DATA = 0x46485304;

    private static final int LENGTH = 4;
    private static final int OFFSET = 8;
    private static final int MESSAGE_SUM = 16;
    private static final int HEADER_SUM = 20;

    private Frame() {}

    /**
     * Puts a header.
     *
     * @param messageSum of a SEND's message; else 0
     */
    static void put(
            ByteBuffer to, int at, int kind, int length, long offset, int messageSum, Sum sum) {
        to.putInt(at, kind);
        to.putInt(at + LENGTH, length);
        to.putLong(at + OFFSET, offset);
        to.putInt(at + MESSAGE_SUM, messageSum);
        to.putInt(at + HEADER_SUM, sum.of(at, HEADER_SUM));
    }

    /** Whether a header is what was sent. */
    static boolean isIntact(ByteBuffer from, int at, Sum sum) {
        return from.getInt(at + HEADER_SUM) == sum.of(at, HEADER_SUM);
    }

    /** What a SEND's message must have. */
    static int messageSum(ByteBuffer from, int at) {
        return from.getInt(at + MESSAGE_SUM);
    }

    /** Sums parts of one buffer. For one thread at a time; allocates nothing after construction. */
    static final class Sum {
        private final ByteBuffer view;
        private final CRC32C crc = new CRC32C();

        Sum(ByteBuffer buffer) {
            this.view = buffer.duplicate();
        }

        int of(int at, int length) {
            crc.reset();
            view.limit(at + length).position(at);
            crc.update(view);
            return (int) crc.getValue();
        }
    }

    static int kind(ByteBuffer from, int at) {
        return from.getInt(at);
    }

    static int length(ByteBuffer from, int at) {
        return from.getInt(at + LENGTH);
    }

    static long offset(ByteBuffer from, int at) {
        return from.getLong(at + OFFSET);
    }
}
