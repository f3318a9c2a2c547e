package io.farheap.pool;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The process's file mode creation mask, read where reading it does not change it. */
final class Umask {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String KEY = "Umask:";

    private Umask() {}

    /**
     * The mode a program's new file usually gets: everybody may read and write, but for the mask.
     */
    static int fileMode() {
        try {
            String value =
                    Files.readAllLines(STATUS).stream()
                            .filter(line -> line.startsWith(KEY))
                            .findFirst()
                            .map(line -> line.substring(KEY.length()).trim())
                            .orElse("077");
            return 0666 & ~Integer.parseInt(value, 8);
        } catch (IOException e) {
            throw new FarheapException(
                    Category.ENVIRONMENT, "cannot read " + STATUS + ": " + e.getMessage(), e);
        }
    }
}
