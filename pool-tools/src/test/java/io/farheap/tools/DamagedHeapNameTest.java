package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.PersistentHeap;
import io.farheap.tools.EveryKind.Root;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong inside a pool is said with the pool's name, and with what can be done. */
class DamagedHeapNameTest {
    private static final long HEAP_HEADER_BYTES = 1024;
    private static final long ZONE_HEADER_BYTES = 64;

    @TempDir private Path dir;
    private Path pool;

    @BeforeEach
    void fill() {
        pool = dir.resolve("a.pool");
        try (PersistentHeap<Root> heap = EveryKind.create(pool)) {
            EveryKind.fill(heap);
        }
    }

    @Test
    void ofADamagedHeapThePoolIsNamed() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(pool.toFile(), "rw")) {
            file.seek(heapOffset() + HEAP_HEADER_BYTES + ZONE_HEADER_BYTES); // of the first chunk
            file.writeLong(-1);
        }
        Path backup = dir.resolve("a.bak");
        Run.farheap("dump", pool).failedWith(ExitCode.BAD_DATA, pool + ": heap: ");
        Run.farheap("reclaim", "-d", pool).failedWith(ExitCode.BAD_DATA, pool + ": heap: ");
        Run.farheap("backup", pool, backup)
                .failedWith(ExitCode.BAD_DATA, pool + ": heap: ", "no backup was made");
        assertThat(backup).doesNotExist();
    }

    private long heapOffset() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(pool.toFile(), "r")) {
            file.seek(5136);
            return Long.reverseBytes(file.readLong());
        }
    }

    @Test
    void ofAPoolThatWasCutOffTheSizesAreTold() throws IOException {
        Files.write(pool, Arrays.copyOf(Files.readAllBytes(pool), 4 << 20));
        for (List<?> command :
                List.of(List.of("backup", pool, dir.resolve("a.bak")), List.of("dump", pool))) {
            Run.farheap(command.toArray())
                    .failedWith(
                            ExitCode.BAD_DATA,
                            pool + ": mapped region smaller than the heap size",
                            "and 4194304 bytes are there: it was cut off",
                            "from a replica or a backup");
        }
    }
}
