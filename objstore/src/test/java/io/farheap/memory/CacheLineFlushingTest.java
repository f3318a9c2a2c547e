package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.farheap.base.FarheapException;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies past the caches, by libpmem, into any file. */
class CacheLineFlushingTest {
    private static final long BYTES = 1 << 20;
    private static final int COPIED = 65_536;

    @TempDir private Path directory;

    /** The kernel ends a process for a page that native code does not reach. */
    @Test
    void aCopyIntoAFileThatWasCutOffIsRefusedWithTheFilesName() {
        assumeThat(LibPmem.isInstalled()).isTrue();
        try (Arena arena = Arena.ofConfined();
                NativeFile file = NativeFile.create(directory.resolve("image"))) {
            file.allocate(BYTES);
            MemorySegment source = arena.allocate(COPIED);
            source.fill((byte) 7);
            try (MappedImage image =
                    MappedImage.map(List.of(new Share(file, 0, BYTES)), Access.SHARED)) {
                CacheLineFlushing memory = new CacheLineFlushing(image);
                assertThat(memory.copyIn(4096, source, 0, COPIED)).isTrue();
                assertThat(image.segment().get(ValueLayout.JAVA_BYTE, 4096)).isEqualTo((byte) 7);

                file.truncate(BYTES / 2);

                assertThatThrownBy(() -> memory.copyIn(BYTES / 2 + 4096, source, 0, COPIED))
                        .isInstanceOf(FarheapException.class)
                        .hasMessageContaining(file.path() + " was cut off")
                        .hasMessageContaining("it has " + BYTES / 2 + " bytes");
            }
        }
    }
}
