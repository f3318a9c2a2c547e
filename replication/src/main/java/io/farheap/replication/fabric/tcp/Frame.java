package io.farheap.replication.fabric.tcp;

import java.nio.ByteBuffer;

/**
 * What travels on the socket after the greeting: a header, then its bytes.
 *
 * <pre>
 *   0  kind 4 | length 4      of what follows the header
 *   8  offset 8               WRITE, READ: in the target's region; else 0
 *  16  the message, or the bytes written or read (READ asks, nothing follows)
 * </pre>
 *
 * <p>Little-endian. READ's length is what it asks for; READ_DATA answers reads in their order.
 */
final class Frame {
    static final int HEADER_BYTES = 16;

    /** Kinds are no small numbers, so that garbage is seldom taken for one. */
    static final int SEND = 0x46485301;

    static final int WRITE = 0x46485302;
    static final int READ = 0x46485303;
    static final int READ_DATA = 0x46485304;

    private static final int LENGTH = 4;
    private static final int OFFSET = 8;

    private Frame() {}

    static void put(ByteBuffer to, int at, int kind, int length, long offset) {
        to.putInt(at, kind);
        to.putInt(at + LENGTH, length);
        to.putLong(at + OFFSET, offset);
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
