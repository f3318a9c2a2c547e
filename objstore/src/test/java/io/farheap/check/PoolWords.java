package io.farheap.check;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** The words of a closed pool file, to be damaged one by one. */
final class PoolWords implements AutoCloseable {
    private final RandomAccessFile file;

    PoolWords(Path path) throws IOException {
        file = new RandomAccessFile(path.toFile(), "rw");
    }

    long get(long offset) throws IOException {
        file.seek(offset);
        return Long.reverseBytes(file.readLong());
    }

    void put(long offset, long value) throws IOException {
        file.seek(offset);
        file.writeLong(Long.reverseBytes(value));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
