package io.farheap.tools;

import io.farheap.memory.NativeFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A small file that is there as a whole or not at all, whenever the machine stops. */
public final class WholeFile {
    private static final String UNFINISHED = ".farheap-unfinished";

    private WholeFile() {}

    /** Writes it, durably; one that is there is replaced. On failure that one is as it was. */
    public static void write(Path file, byte[] bytes) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + UNFINISHED);
        try (FileChannel out =
                FileChannel.open(
                        draft,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            ByteBuffer left = ByteBuffer.wrap(bytes);
            while (left.hasRemaining()) {
                out.write(left);
            }
            out.force(true);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(draft);
            throw e;
        }
        NativeFile.syncDirectory(file.getParent());
    }
}
