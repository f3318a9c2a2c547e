package io.farheap.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.heap.HeapFormat;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.ContentCheck;
import io.farheap.pool.CreateOptions;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The C library judges the files of new pools, works in them, and gives them back. */
class CreatedFilesNativeTest {
    private static final CreateOptions OPTIONS = new CreateOptions("judge", 0644);

    @TempDir Path directory;

    @BeforeAll
    static void needTheNativeLibrary() {
        NativeJudge.require();
    }

    @Test
    void aSingleFile() {
        Path pool = directory.resolve("pool");
        PoolFiles.create(
                        PoolSource.newFile(pool, 16 << 20), OPTIONS, CreatedFilesNativeTest::format)
                .close();

        assertIsUsable(pool);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "16M @/p0",
                "8M @/p0\n8M @/p1\n9M @/p2",
                "OPTION SINGLEHDR\n8M @/p0\n8M @/p1",
                "16M @/p0\nREPLICA\n8M @/r0\n10M @/r1",
                "OPTION SINGLEHDR\n8M @/p0\n8M @/p1\nREPLICA\n16M @/r0\nREPLICA\n17M @/s0",
            })
    void setsOfPartsAndReplicas(String lines) throws IOException {
        Path set = directory.resolve("pool.set");
        Files.writeString(set, "PMEMPOOLSET\n" + lines.replace("@/", directory + "/") + "\n");
        PoolFiles.create(PoolSource.of(set), OPTIONS, CreatedFilesNativeTest::format).close();

        assertIsUsable(set);
        assertThat(PoolInspection.of(PoolSource.of(set).existing()).conflict()).isNull();
    }

    private static void assertIsUsable(Path pool) {
        NativeJudge.assertConsistent(pool);
        NativeJudge.work(pool, 42, 50);
        try (PoolFiles files = PoolFiles.open(PoolSource.of(pool), "judge", ContentCheck.NONE)) {
            assertThat(new Descriptor(files.memory()).runId()).as("opened once, in C").isEqualTo(2);
            assertThat(NativeJudge.run("pmempool", "info", pool.toString()))
                    .as("in use here, so not to be had there")
                    .doesNotReturn(0, NativeJudge.Answer::exitCode);
        }
        NativeJudge.assertConsistent(pool);
        assertThat(NativeJudge.list(pool).objects()).isNotEmpty();
    }

    private static void format(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        LaneLayout.format(memory);
        HeapFormat.format(memory, descriptor.heapOffset(), descriptor.heapSize());
    }
}
