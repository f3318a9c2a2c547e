package io.farheap.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.NativeFile;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LosingDiskTest {
    private static final byte[] CONTENT = {1, 2, 3};
    private static final byte[] OTHER = {4};

    @TempDir private Path directory;

    @Test
    void aRenameThatIsNotSyncedIsLostOrNotAsAWhole() {
        Path before = directory.resolve("before");
        Path after = directory.resolve("after");

        Random random = new Random(1);
        Set<Map<Path, byte[]>> left = new HashSet<>();
        Set<Set<Path>> names = new HashSet<>();
        for (int i = 0; i < 40; i++) {
            LosingDisk.write(directory, Map.of(before, CONTENT, after, OTHER));
            try (LosingDisk disk = LosingDisk.under(directory)) {
                NativeFile.rename(before, after);
                Map<Path, byte[]> files = disk.losePower(random);
                names.add(files.keySet());
                left.add(files);
            }
        }

        assertThat(names).containsExactlyInAnyOrder(Set.of(before, after), Set.of(after));
        assertThat(left)
                .allSatisfy(
                        files ->
                                assertThat(files.get(after))
                                        .isEqualTo(files.containsKey(before) ? OTHER : CONTENT));
    }

    @Test
    void aRenameStaysOnceItsDirectoryIsSynced() {
        Path before = directory.resolve("before");
        Path after = directory.resolve("after");

        Random random = new Random(1);
        for (int i = 0; i < 20; i++) {
            LosingDisk.write(directory, Map.of(before, CONTENT));
            try (LosingDisk disk = LosingDisk.under(directory)) {
                NativeFile.rename(before, after);
                NativeFile.syncDirectory(directory);
                assertThat(disk.losePower(random)).containsOnlyKeys(after);
            }
        }
    }
}
