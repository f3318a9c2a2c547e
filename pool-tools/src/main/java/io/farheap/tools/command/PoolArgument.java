package io.farheap.tools.command;

import io.farheap.pool.PoolSource;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** The pool that a command is about. */
public final class PoolArgument {
    @Parameters(paramLabel = "FILE", description = "a poolset file or a pool file")
    private Path file;

    public Path file() {
        return file;
    }

    public PoolSource source() {
        return PoolSource.of(file);
    }
}
