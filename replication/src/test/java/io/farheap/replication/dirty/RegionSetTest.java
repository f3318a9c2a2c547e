package io.farheap.replication.dirty;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.replication.control.ByteRange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was marked comes out once, ascending, and nothing else. */
class RegionSetTest {
    private static final long IMAGE = 1 << 20;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatWasMarkedIsTaken(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        RegionSet set = RegionSet.fine(IMAGE);
        BitSet units = new BitSet();
        for (int i = 0; i < 200; i++) {
            long offset = random.nextLong(IMAGE);
            long length = 1 + random.nextLong(Math.min(IMAGE - offset, 1L << random.nextInt(14)));
            set.mark(offset, length);
            units.set((int) (offset / 16), (int) ((offset + length - 1) / 16) + 1);
        }
        List<ByteRange> expected = new ArrayList<>();
        for (int from = units.nextSetBit(0); from >= 0; ) {
            int end = units.nextClearBit(from);
            expected.add(new ByteRange(16L * from, 16L * (end - from)));
            from = units.nextSetBit(end);
        }
        RegionSet other = RegionSet.fine(IMAGE);
        set.addTo(other);
        assertThat(set.bytes()).as("seed %d", seed).isEqualTo(16L * units.cardinality());
        for (int unit = 0; unit < IMAGE / 16; unit++) {
            assertThat(set.isMarked(16L * unit + 15)).isEqualTo(units.get(unit));
        }
        assertThat(set.take(IMAGE)).as("seed %d", seed).isEqualTo(expected);
        assertThat(set.isEmpty()).isTrue();
        assertThat(other.take(IMAGE)).isEqualTo(expected);
    }

    @Test
    void allIsOneRange() {
        RegionSet set = RegionSet.ofPages(IMAGE);
        set.markAll();
        assertThat(set.bytes()).isEqualTo(IMAGE);
        assertThat(set.take(IMAGE + 100)).containsExactly(new ByteRange(0, IMAGE + 100));
    }

    /** 8 MiB of bits, however large the image. */
    @Test
    void ofALargeImageTheRegionsAreLarger() {
        RegionSet set = RegionSet.fine(64L << 30);
        set.mark(5000, 1);
        assertThat(set.take(64L << 30)).containsExactly(new ByteRange(4096, 1024));
        RegionSet small = RegionSet.fine(1L << 30);
        small.mark(5000, 1);
        assertThat(small.take(1L << 30)).containsExactly(new ByteRange(4992, 16));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 64, 1000})
    void someAtATimeAreTheSame(int most) {
        SplittableRandom random = new SplittableRandom(most);
        RegionSet set = RegionSet.fine(IMAGE);
        for (int i = 0; i < 300; i++) {
            set.mark(random.nextLong(IMAGE - 3000), 1 + random.nextInt(i % 10 == 0 ? 3000 : 40));
        }
        set.mark(IMAGE - 1, 1);
        RegionSet same = RegionSet.fine(IMAGE);
        set.addTo(same);
        List<ByteRange> some = new ArrayList<>();
        while (!set.isEmpty()) {
            List<ByteRange> next = set.take(IMAGE, most);
            assertThat(next).hasSizeBetween(1, most);
            some.addAll(next);
        }
        assertThat(some).isEqualTo(same.take(IMAGE));
    }
}
