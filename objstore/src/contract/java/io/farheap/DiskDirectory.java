package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.OrdinaryDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A directory on an ordinary disk, for what holds of pools there: below the module's {@code
 * target}, or the system's places for temporary files. Where none of them is on a disk the test is
 * skipped; with {@code CI} set that is a failure instead.
 */
public record DiskDirectory(Path path) implements AutoCloseable {
    private static final List<Path> PLACES =
            List.of(Path.of("target").toAbsolutePath(), Path.of("/var/tmp"), Path.of("/tmp"));

    /** A new one. */
    public static DiskDirectory create() {
        Path place =
                PLACES.stream()
                        .filter(Files::isWritable)
                        .filter(OrdinaryDisk::carries)
                        .findFirst()
                        .orElse(null);
        String missing = "none of " + PLACES + " is on an ordinary disk";
        if (System.getenv("CI") != null) {
            assertThat(place).as(missing).isNotNull();
        }
        Assumptions.assumeTrue(place != null, missing);
        try {
            return new DiskDirectory(Files.createTempDirectory(place, "on-disk"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try (Stream<Path> all = Files.walk(path)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
