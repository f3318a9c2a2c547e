package io.farheap.objects.schema;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.SeekableByteChannel;

/**
 * Many bytes in the pool, in extents of up to 1 MiB; thread-safe. Its streams and channels are each
 * for one thread at a time, need no close, and keep nothing: what {@code write} returns from is
 * durable, or part of the transaction under way. Each call is atomic by itself; use a transaction
 * for writes that belong together, and a {@link java.io.BufferedOutputStream} for many small ones.
 */
public interface PersistentBlob {
    /** Bytes. */
    long size();

    /** Makes it shorter, or longer by zeros. */
    void setSize(long size);

    /** From the first byte on. */
    InputStream newInputStream();

    /** Behind the last byte: what it writes makes the blob longer. */
    OutputStream newOutputStream();

    /**
     * At the first byte. A write behind the end fills what is between with zeros.
     *
     * <p>Its methods throw {@link java.nio.channels.ClosedChannelException} once it is closed.
     */
    SeekableByteChannel newChannel();
}
