package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What needs no device; the rest is seen in the lab. */
class DeviceDaxTest {
    private static final long BYTES = 64 << 10;

    @TempDir Path directory;

    @Test
    void whatTheKernelDoesNotMapWithMapSyncIsRefused() throws IOException {
        Path path = Files.write(directory.resolve("file"), new byte[(int) BYTES]);
        try (NativeFile file = NativeFile.open(path)) {
            assertThatThrownBy(() -> DeviceDax.map(file, BYTES, 4096))
                    .isInstanceOf(FarheapException.class)
                    .hasMessage(
                            "stores to the device DAX "
                                    + path
                                    + " cannot be made durable: the kernel does not map it with"
                                    + " MAP_SYNC");
        }
    }

    @Test
    void readingChangesNothingAndOutlivesTheOpenFile() throws IOException {
        byte[] bytes = new byte[(int) BYTES];
        bytes[4711] = 42;
        Path path = Files.write(directory.resolve("file"), bytes);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment read;
            try (NativeFile file = NativeFile.openReadOnly(path)) {
                read = DeviceDax.read(file, BYTES, arena);
            }
            assertThat(read.get(ValueLayout.JAVA_BYTE, 4711)).isEqualTo((byte) 42);
            assertThat(read.isReadOnly()).isTrue();
        }
    }
}
