package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a repair copies before it begins takes the place of nothing. */
class PoolBackupTest {
    @TempDir private Path dir;

    @Test
    void aFileThatCameWhileThePartWasCopiedIsNotReplaced() throws Exception {
        Path part = Files.writeString(dir.resolve("part"), "of the pool");
        Path letter = Files.writeString(dir.resolve("letter"), "Dear Ada");

        assertThatThrownBy(() -> PoolBackup.copy(part, letter))
                .hasMessageContaining(letter + " was made by somebody else meanwhile")
                .hasMessageContaining("name another destination");

        assertThat(letter).hasContent("Dear Ada");
        try (Stream<Path> left = Files.list(dir)) {
            assertThat(left).containsExactlyInAnyOrder(part, letter);
        }
    }
}
