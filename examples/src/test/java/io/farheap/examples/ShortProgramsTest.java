package io.farheap.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What docs/objects.md says of them. */
class ShortProgramsTest {
    @ParameterizedTest
    @ValueSource(strings = {"Bank", "OrderBook", "JobQueue"})
    void itHasLessThan80LinesNoLockAndNoOffset(String program) throws IOException {
        Path source = Path.of("src/main/java/io/farheap/examples", program + ".java");

        assertThat(Files.readAllLines(source)).hasSizeLessThan(80);
        assertThat(Files.readString(source).toLowerCase())
                .doesNotContain("lock", "synchronized", "offset", "volatile", "atomic");
    }
}
