package io.farheap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DurationsTest {
    private static Map<String, Long> of(Durations durations) {
        Map<String, Long> figures = new LinkedHashMap<>();
        durations.addTo(figures);
        return figures;
    }

    @Test
    void aBoundIsAtMostASixteenthAboveWhatIsBelowIt() {
        Random random = new Random(5);
        for (int i = 0; i < 100_000; i++) {
            long nanos = random.nextLong() >>> 28 + random.nextInt(36);
            int bucket = Durations.bucket(nanos);
            if (bucket < Durations.BUCKETS - 1) {
                assertThat(nanos)
                        .isBetween(Durations.least(bucket), Durations.least(bucket + 1) - 1);
            }
            assertThat(Durations.least(bucket + 1))
                    .isLessThanOrEqualTo(Durations.least(bucket) + Math.max(1, nanos / 16));
        }
        assertThat(Durations.least(Durations.BUCKETS)).isEqualTo(1L << 37);
        assertThat(Durations.bucket(Long.MAX_VALUE)).isEqualTo(Durations.BUCKETS - 1);
        assertThat(Durations.bucket(-1)).as("a clock that goes back").isZero();
    }

    @Test
    void whateverLaneAddsItIsCountedOnce() {
        Durations durations = new Durations("commitNanos");
        durations.add(0, 4300);
        assertThat(of(durations)).isEmpty();
        durations.allocate();
        for (int lane = 0; lane < 1024; lane++) {
            durations.add(lane, 4300);
        }
        durations.add(3, 4352);
        durations.allocate();
        assertThat(of(durations))
                .isEqualTo(Map.of("commitNanosBelow4352", 1024L, "commitNanosBelow4608", 1L));
    }
}
