package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.DiskDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which files lie on ordinary disks. */
class OrdinaryDiskTest {
    @TempDir private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs", "overlay"})
    void theseAreOnBlockDevices(String fileSystem) {
        assertThat(OrdinaryDisk.isDisks(fileSystem)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"tmpfs", "ramfs", "hugetlbfs", "nfs", "nfs4", "cifs", "9p", "fuse.sshfs"})
    void theseAreInMemoryOrSomebodyElses(String fileSystem) {
        assertThat(OrdinaryDisk.isDisks(fileSystem)).isFalse();
    }

    @Test
    void aFileInMemoryIsOnNone() throws IOException {
        Path file = Files.write(directory.resolve("a"), new byte[4096]);
        Assumptions.assumeTrue(
                Files.getFileStore(file).type().equals("tmpfs"), "no tests in memory here");
        assertThat(OrdinaryDisk.has(file)).isFalse();
        assertThat(OrdinaryDisk.carries(directory)).isFalse();
    }

    @Test
    void aFileOnADiskIsOnOne() throws IOException {
        try (DiskDirectory disk = DiskDirectory.create()) {
            Path file = Files.write(disk.path().resolve("a"), new byte[4096]);
            assertThat(OrdinaryDisk.has(file)).isTrue();
            assertThat(OrdinaryDisk.carries(disk.path())).isTrue();
            assertThat(OrdinaryDisk.has(disk.path())).as("a directory").isFalse();
            assertThat(OrdinaryDisk.has(disk.path().resolve("none"))).isFalse();
        }
    }
}
