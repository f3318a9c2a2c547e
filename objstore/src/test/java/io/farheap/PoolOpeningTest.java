package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.pmemobj.PoolLimits;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Openings that fail leave nothing behind, and copies of open pools are refused. */
class PoolOpeningTest {
    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void createPool() {
        file = directory.resolve("pool");
        try (ObjectPool pool =
                ObjectPool.at(file).layout("a").size(PoolLimits.MIN_POOL_BYTES).create()) {
            pool.setLong(pool.root(64), 0, 42);
        }
    }

    @Test
    void afterAFaultWhilePagesAreTouchedThePoolCanBeOpened() throws IOException {
        byte[] content = Files.readAllBytes(file);
        PoolSource source = PoolSource.of(file);
        PoolOptions prefaulting = PoolOptions.builder().prefaultAtOpen(true).build();
        PoolFiles files = PoolFiles.open(source);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(1 << 20);
        }

        assertThatThrownBy(() -> new PoolOpening(source, prefaulting).open(files))
                .isInstanceOf(InternalError.class);

        Files.write(file, content);
        try (ObjectPool pool = ObjectPool.at(file).layout("a").options(prefaulting).open()) {
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(42);
        }
    }

    @Test
    void aSecondCopyOfAnOpenPoolIsRefused() throws IOException {
        Path copy = Files.copy(file, directory.resolve("copy"));
        try (ObjectPool pool = ObjectPool.open(file, "a")) {
            assertThatThrownBy(() -> ObjectPool.open(copy, "a"))
                    .isInstanceOfSatisfying(
                            FarheapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT))
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining(copy.toString());
            assertThat(OpenPools.ofId(pool.poolId())).containsSame(pool);
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(42);
        }
        assertThat(Files.mismatch(file, copy)).as("differs in its run id").isNotEqualTo(-1);
        ObjectPool first = ObjectPool.open(copy, "a");
        first.close();
        try (ObjectPool pool = ObjectPool.open(file, "a")) {
            first.close();
            assertThat(OpenPools.ofId(pool.poolId())).as("closed twice").containsSame(pool);
        }
        assertThat(OpenPools.ofId(first.poolId())).isEmpty();
    }

    @Test
    void anOpeningThatFailsLateGivesTheIdBack() {
        PoolOptions refused = PoolOptions.builder().threadArena(1000).build();

        assertThatThrownBy(() -> ObjectPool.at(file).layout("a").options(refused).open())
                .isInstanceOf(FarheapException.class);

        ObjectPool.open(file, "a").close();
    }
}
