package io.farheap.tools;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Poolset files, and pools of them.
 *
 * @param dir where they are
 */
record PoolSets(Path dir) {
    /**
     * @param lines {@code @} is the directory
     */
    Path write(String name, String lines) throws IOException {
        Path set = dir.resolve(name);
        return Files.writeString(set, "PMEMPOOLSET\n" + lines.replace("@", dir + "/"));
    }

    Path create(String name, String lines, Consumer<ObjectPool> content) throws IOException {
        Path set = write(name, lines);
        try (ObjectPool pool = ObjectPool.create(set, "bank")) {
            content.accept(pool);
        }
        return set;
    }
}
