package io.farheap.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** Test directories on tmpfs where there is one: pools are synced often, disks are slow. */
public final class InMemory implements TempDirFactory {
    private static final Path TMPFS = Path.of("/dev/shm");

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
            throws IOException {
        return Files.isWritable(TMPFS)
                ? Files.createTempDirectory(TMPFS, "farheap")
                : Files.createTempDirectory("farheap");
    }
}
