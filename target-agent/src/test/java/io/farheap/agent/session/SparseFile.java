package io.farheap.agent.session;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** A file's content, most of which is zero, to be written again and again. */
final class SparseFile {
    private static final int BLOCK = 4096;

    private final long bytes;
    private final Map<Integer, byte[]> blocks = new TreeMap<>();

    private SparseFile(byte[] content) {
        bytes = content.length;
        byte[] zeros = new byte[BLOCK];
        for (int at = 0; at < content.length; at += BLOCK) {
            byte[] block = Arrays.copyOfRange(content, at, Math.min(at + BLOCK, content.length));
            if (!Arrays.equals(block, zeros)) {
                blocks.put(at, block);
            }
        }
    }

    static SparseFile of(Path file) throws IOException {
        return new SparseFile(Files.readAllBytes(file));
    }

    void writeTo(Path path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(0);
            file.setLength(bytes);
            for (Map.Entry<Integer, byte[]> block : blocks.entrySet()) {
                file.seek(block.getKey());
                file.write(block.getValue());
            }
        }
    }
}
