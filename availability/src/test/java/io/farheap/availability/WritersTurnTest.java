package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.agent.Promotion;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.base.FarheapException;
import io.farheap.replication.config.ReplicationSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a turn refuses before it has done anything. */
class WritersTurnTest {
    private static final PoolKeys KEYS = new PoolKeys("cluster", "pool");

    @TempDir Path directory;

    private final MemoryStore store = new MemoryStore(Duration.ofDays(1));
    private Path copy;

    @BeforeEach
    void write() throws IOException {
        copy = directory.resolve("copy.set");
        Files.writeString(copy, "PMEMPOOLSET\n16M " + directory.resolve("part0") + "\n");
    }

    private WritersTurn turn() {
        Promotion own = Promotion.of(copy);
        TermFile file = TermFile.beside(own.firstPart());
        return new WritersTurn(
                new PoolRecord(store.connect(StoreFaults.NONE), KEYS, "a", file, new Random()),
                new RecordedSwitches.Plan("a", Map.of(), 1),
                ReplicationSettings.fromEnvironment(),
                own,
                file);
    }

    @Test
    void aPoolIsNotMadeFromThePoolsetFileOfTheCopyAlone() {
        assertThatThrownBy(() -> turn().create(() -> ObjectPool.create(copy, "layout")))
                .isInstanceOf(FarheapException.class)
                .hasMessageContainingAll(
                        "copy.set names no other node's copy", "nothing was opened");
        assertThat(directory.resolve("part0")).doesNotExist();
        assertThat(store.connect(StoreFaults.NONE).read(KEYS.record()).value()).isEmpty();
    }

    @Test
    void norIsItOpenedFromThat() {
        ObjectPool.create(copy, "layout").close();
        assertThatThrownBy(() -> turn().open(() -> ObjectPool.open(copy, "layout")))
                .hasMessageContaining("REPLICA lines");
        ObjectPool.open(copy, "layout").close(); // nobody has it open
    }
}
