package io.farheap.replication.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * How the bytes of a connection travel on its socket. Nothing waits: what can't go on now returns
 * what it has done. One thread may read while another one writes.
 */
interface Wire {
    /** To select on, and to close. */
    SocketChannel socket();

    /** As SocketChannel has it. */
    int read(ByteBuffer into) throws IOException;

    /** As SocketChannel has it. */
    long write(ByteBuffer from) throws IOException;

    /** As SocketChannel has it. */
    long write(ByteBuffer[] from, int offset, int length) throws IOException;

    /** Whether there is something to read that a selector would not tell of. */
    default boolean hasUnread() {
        return false;
    }

    /** Whether something that was taken has not left. */
    default boolean hasUnsent() {
        return false;
    }

    /** Lets leave what can. */
    default void flush() throws IOException {}
}
