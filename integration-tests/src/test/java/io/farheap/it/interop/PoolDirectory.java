package io.farheap.it.interop;

import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneInspection;
import io.farheap.ulog.LogState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** A pool that can be copied: a directory of its own, with the files of one pool in it. */
record PoolDirectory(Path directory) {
    private static final String FILE = "pool";
    private static final String SET = "pool.set";

    /** A directory for one pool file. */
    static PoolDirectory forFile(Path directory) {
        return made(directory);
    }

    /** A directory for a set; its lines name their files in the directory {@code @}. */
    static PoolDirectory forSet(Path directory, String lines) throws IOException {
        PoolDirectory made = made(directory);
        Files.writeString(directory.resolve(SET), made.set(lines));
        return made;
    }

    private static PoolDirectory made(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new PoolDirectory(directory);
    }

    private String set(String lines) {
        return "PMEMPOOLSET\n" + lines.replace("@", directory.toString()) + "\n";
    }

    /** What to open: the set, or the file. */
    Path pool() {
        Path set = directory.resolve(SET);
        return Files.exists(set) ? set : directory.resolve(FILE);
    }

    /** The files as they are now, in another directory, where a copy of before is overwritten. */
    PoolDirectory copyTo(Path other) throws IOException {
        Files.createDirectories(other);
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Path target = other.resolve(file.getFileName());
                if (file.endsWith(SET)) {
                    String text = Files.readString(file);
                    Files.writeString(target, text.replace(directory.toString(), other.toString()));
                } else {
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        return new PoolDirectory(other);
    }

    void delete() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }

    /** The logs of a kind that recovery would apply; nothing is changed. */
    List<LogState> validLogs(LogState.Kind kind) {
        try (PoolFiles files = PoolFiles.openPrivate(PoolSource.of(pool()), null)) {
            LaneArea lanes = new LaneArea(files.memory());
            return new LaneInspection(lanes)
                    .notFresh().stream()
                            .filter(log -> log.kind() == kind && log.needsRecovery())
                            .toList();
        }
    }
}
