package io.farheap.tools.survey;

import io.farheap.layout.Descriptor;
import io.farheap.pool.CreateOptions;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.replication.control.Blob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A pool of three parts here, with a number that a test gives it. */
public final class NumberedPool {
    private NumberedPool() {}

    /**
     * Replica 0: a and b; replica 1: c, here; the others exist in the poolset file only.
     *
     * @return the poolset file
     */
    public static Path create(Path dir, String... remotes) throws IOException {
        StringBuilder lines = new StringBuilder("PMEMPOOLSET\n");
        lines.append("5M %1$s/a\n5M %1$s/b\nREPLICA\n10M %1$s/c\n".formatted(dir));
        for (String remote : remotes) {
            lines.append("REPLICA ").append(remote).append('\n');
        }
        Path set = Files.writeString(dir.resolve("pool.set"), lines);
        PoolFiles.create(PoolSource.of(set), CreateOptions.withLayout("x"), memory -> {}).close();
        return set;
    }

    /** Opens the pool as a program does that gives it this number; its header. */
    public static Blob run(Path set, long number) {
        try (PoolFiles files = PoolFiles.open(PoolSource.of(set))) {
            new Descriptor(files.memory()).switchRunId(number);
            return Blob.of(files.headerTemplate());
        }
    }
}
