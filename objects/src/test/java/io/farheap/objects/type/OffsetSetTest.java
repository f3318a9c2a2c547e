package io.farheap.objects.type;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OffsetSetTest {
    @Test
    void itHasWhatASetOfTheLibraryHas() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        OffsetSet set = new OffsetSet();
        Set<Long> expected = new HashSet<>();
        for (int i = 0; i < 100_000; i++) {
            long offset = offset(random);
            assertThat(set.contains(offset))
                    .as("seed %d, offset 0x%x", seed, offset)
                    .isEqualTo(expected.contains(offset));
            assertThat(set.add(offset))
                    .as("seed %d, offset 0x%x", seed, offset)
                    .isEqualTo(expected.add(offset));
            assertThat(set.contains(offset)).isTrue();
        }
        assertThat(expected).allMatch(set::contains);
    }

    /** Dense and aligned mostly, as in a pool; some are of no pool. */
    private static long offset(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(1 << 12) * 16L;
            case 1 -> random.nextInt(1 << 16);
            case 2 -> (1L << 40) + random.nextInt(1 << 12) * 4096L;
            default -> random.nextLong();
        };
    }

    @Test
    void offsetsThatDifferInOneBitAreTwo() {
        for (int bit = 0; bit < Long.SIZE; bit++) {
            OffsetSet set = new OffsetSet();
            assertThat(set.add(1L << bit)).isTrue();
            for (int other = 0; other < Long.SIZE; other++) {
                assertThat(set.contains(1L << other)).isEqualTo(bit == other);
            }
            assertThat(set.contains(0)).isFalse();
        }
    }
}
