package io.farheap.agent.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.layout.PoolUuid;
import io.farheap.readers.ReadAdmission;
import io.farheap.readers.ReadersFile;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the store tells readers of how old the image is. */
class ReplicaReadersTest {
    private static final Duration LONG = Duration.ofSeconds(100);

    @TempDir Path directory;

    @Test
    void whoIsLetInIsToldHowOldItIs() {
        Path path = directory.resolve("part0.readers");
        try (ReadersFile file = ReadersFile.take(path, PoolUuid.random(), 0600)) {
            ReplicaReaders readers = new ReplicaReaders(ReadAdmission.of(file, LONG));
            assertThat(file.age()).isEqualTo(ReadersFile.UNKNOWN_AGE);
            readers.open(10, 3, 3);
            assertThat(file.age()).isLessThan(LONG.toNanos());
        }
    }

    @Test
    void whereRecordsAreToBeAppliedFirstThatIsKnownBehindThem() {
        Path path = directory.resolve("part0.readers");
        try (ReadersFile file = ReadersFile.take(path, PoolUuid.random(), 0600)) {
            ReplicaReaders readers = new ReplicaReaders(ReadAdmission.of(file, LONG));
            readers.open(10, 3, 5);
            assertThat(file.age()).isEqualTo(ReadersFile.UNKNOWN_AGE);
            readers.look(5, 4);
            assertThat(file.age()).isEqualTo(ReadersFile.UNKNOWN_AGE);
            readers.look(6, 5);
            assertThat(file.age()).isLessThan(LONG.toNanos());
        }
    }
}
