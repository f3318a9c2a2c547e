package io.farheap.testing.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Lincheck gives the JVM that it runs in a temporary file with classes, and leaves it to whoever
 * cleans up.
 */
public final class LincheckFiles {
    private LincheckFiles() {}

    /** Removes those of this JVM, which goes on reading what it has open. */
    public static void remove() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            for (Path file : open.map(LincheckFiles::target).toList()) {
                if (file.getFileName() != null
                        && file.getFileName().toString().startsWith("lincheck-bootstrap")) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What an open file is; nothing for one that was closed meanwhile. */
    private static Path target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor);
        } catch (IOException closed) {
            return Path.of("");
        }
    }
}
