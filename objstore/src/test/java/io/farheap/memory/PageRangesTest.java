package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PageRangesTest {
    private static final long PAGE = 4096;
    private static final long FAR = 4 * PageRanges.BRIDGED_GAP_BYTES;

    @Test
    void neighboursBecomeOneRange() {
        PageRanges ranges = new PageRanges();
        ranges.add(2 * PAGE, 3 * PAGE);
        ranges.add(0, PAGE);
        ranges.add(PAGE, 2 * PAGE);

        ranges.merge();

        assertThat(ranges.count()).isEqualTo(1);
        assertThat(ranges.start(0)).isZero();
        assertThat(ranges.end(0)).isEqualTo(3 * PAGE);
    }

    @Test
    void aSmallGapIsBridgedAndALargeOneIsNot() {
        PageRanges ranges = new PageRanges();
        ranges.add(FAR, FAR + PAGE);
        ranges.add(0, PAGE);
        ranges.add(PAGE + PageRanges.BRIDGED_GAP_BYTES, 2 * PAGE + PageRanges.BRIDGED_GAP_BYTES);

        ranges.merge();

        assertThat(ranges.count()).isEqualTo(2);
        assertThat(ranges.end(0)).isEqualTo(2 * PAGE + PageRanges.BRIDGED_GAP_BYTES);
        assertThat(ranges.start(1)).isEqualTo(FAR);
    }

    @Test
    void noneIsNone() {
        PageRanges ranges = new PageRanges();
        ranges.merge();
        assertThat(ranges.count()).isZero();
    }

    @Test
    void everyPageAddedIsCoveredAndRangesAreInOrderAndApart() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            PageRanges ranges = new PageRanges();
            BitSet pages = new BitSet();
            for (int i = random.nextInt(200); i >= 0; i--) {
                int first = random.nextInt(100_000);
                int last = first + 1 + random.nextInt(10);
                ranges.add(first * PAGE, last * PAGE);
                pages.set(first, last);
            }

            ranges.merge();

            for (int i = 0; i < ranges.count(); i++) {
                pages.clear((int) (ranges.start(i) / PAGE), (int) (ranges.end(i) / PAGE));
                if (i > 0) {
                    assertThat(ranges.start(i) - ranges.end(i - 1))
                            .as("seed %d", seed)
                            .isGreaterThan(PageRanges.BRIDGED_GAP_BYTES);
                }
            }
            assertThat(pages.isEmpty()).as("seed %d", seed).isTrue();
        }
    }
}
