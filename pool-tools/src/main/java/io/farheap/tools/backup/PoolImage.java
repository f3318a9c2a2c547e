package io.farheap.tools.backup;

/** A pool's bytes at one commit boundary, and which one that is. Reads are thread-safe. */
interface PoolImage extends AutoCloseable {
    long size();

    /**
     * Fills the first {@code length} bytes of an array with what is from {@code offset} on.
     *
     * @throws io.farheap.base.FarheapException when the system refuses
     */
    void read(long offset, byte[] to, int length);

    /** 4096 bytes: the pool's features and uuid. The image's own first page says nothing. */
    byte[] poolHeader();

    long runId();

    /** How many commits the pool had since it was opened; -1 where it was not. */
    long commits();

    BackupHeader.State state();

    @Override
    void close();
}
