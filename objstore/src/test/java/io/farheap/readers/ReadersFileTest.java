package io.farheap.readers;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.layout.PoolUuid;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadersFileTest {
    @TempDir Path directory;

    /** An agent whose other files could not be closed in good order tries all of them again. */
    @Test
    void closesOnce() {
        Path path = directory.resolve("part0.readers");
        ReadersFile file = ReadersFile.take(path, PoolUuid.random(), 0600);
        file.close();
        file.close();
        assertThat(Files.exists(path)).isTrue();
    }
}
