package io.farheap.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.PoolFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolFeaturesTest {
    private static final int INCOMPAT_WORD = 16;
    private static final int DAMAGED = 100;

    @TempDir Path directory;
    private Path file;

    @BeforeEach
    void aPool() {
        file = directory.resolve("bank.pool");
        ObjectPool.at(file).layout("bank").size(8 << 20).create().close();
    }

    private boolean turn(PoolFeature feature, boolean on) {
        try (PoolFeatures features = PoolFeatures.open(PoolSource.of(file))) {
            return features.turn(feature, on);
        }
    }

    @Test
    void aHeaderWithThatSwitchHalfWrittenIsFinished() throws IOException {
        byte[] before = Files.readAllBytes(file);
        assertThat(turn(PoolFeature.SHUTDOWN_STATE, false)).isTrue();
        byte[] after = Files.readAllBytes(file);
        byte[] half = before.clone();
        half[INCOMPAT_WORD] = after[INCOMPAT_WORD];
        Files.write(file, half);

        assertThat(turn(PoolFeature.SHUTDOWN_STATE, false)).isTrue();
        assertThat(Files.readAllBytes(file)).isEqualTo(after);
        assertThat(turn(PoolFeature.SHUTDOWN_STATE, false)).isFalse();
    }

    @Test
    void aHeaderThatIsDamagedOtherwiseIsLeftAlone() throws IOException {
        byte[] damaged = Files.readAllBytes(file);
        damaged[DAMAGED] ^= 1;
        Files.write(file, damaged);

        for (PoolFeature feature :
                Arrays.asList(PoolFeature.SHUTDOWN_STATE, PoolFeature.CHECK_BAD_BLOCKS)) {
            assertThatThrownBy(() -> turn(feature, false))
                    .isInstanceOfSatisfying(
                            FarheapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.BAD_DATA))
                    .hasMessageContaining("invalid checksum of pool header");
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(damaged);
    }
}
