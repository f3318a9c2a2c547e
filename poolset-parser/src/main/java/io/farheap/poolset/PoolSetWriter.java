package io.farheap.poolset;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/** Writes pool sets as files that {@link PoolSetParser} reads back as equal sets. */
public final class PoolSetWriter {
    private PoolSetWriter() {}

    /**
     * The bytes of the poolset file; unedited lines are what the parser read, byte by byte.
     *
     * @throws IllegalArgumentException for a set made from nothing with a path that has a blank, a
     *     line end or # in it: a poolset file cannot name it
     */
    public static byte[] toBytes(PoolSet set) {
        PoolSetEdits.checkWritable(set.lines());
        return bytes(set);
    }

    private static byte[] bytes(PoolSet set) {
        StringBuilder text = new StringBuilder();
        for (Line line : set.lines()) {
            text.append(line.text()).append(line.end());
        }
        return text.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The same as text for people; what is not UTF-8 in a comment shows as U+FFFD. */
    static String toText(PoolSet set) {
        return new String(bytes(set), StandardCharsets.UTF_8);
    }

    /**
     * Writes {@code set} to {@code file} so that a crash leaves the old file or the new one: on
     * return the new one is durable. An existing file keeps its permissions.
     */
    public static void write(PoolSet set, Path file) throws IOException {
        Path target = file.toAbsolutePath();
        if (Files.exists(target)) {
            target = target.toRealPath();
        }
        Path directory = target.getParent();
        Path draft = Files.createTempFile(directory, target.getFileName().toString(), ".new");
        try {
            try (FileChannel out = FileChannel.open(draft, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = ByteBuffer.wrap(toBytes(set));
                while (bytes.hasRemaining()) {
                    out.write(bytes);
                }
                out.force(true);
            }
            if (draft.getFileSystem().supportedFileAttributeViews().contains("posix")) {
                Files.setPosixFilePermissions(draft, permissions(target));
            }
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
        if (File.separatorChar == '\\') {
            return; // Windows opens no directory
        }
        try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
            entries.force(true);
        }
    }

    private static Set<PosixFilePermission> permissions(Path target) throws IOException {
        return Files.exists(target)
                ? Files.getPosixFilePermissions(target)
                : Set.of(
                        PosixFilePermission.OWNER_READ,
                        PosixFilePermission.OWNER_WRITE,
                        PosixFilePermission.GROUP_READ,
                        PosixFilePermission.OTHERS_READ);
    }
}
