package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChangedRegionsTest {
    private static final int REGION = 512;
    private static final long IMAGE = 100 * REGION + 100;

    private final ChangedRegions regions = new ChangedRegions(IMAGE);

    private List<String> taken() {
        List<String> ranges = new ArrayList<>();
        regions.takeEach((offset, length) -> ranges.add(offset + "+" + length));
        return ranges;
    }

    @Test
    void whatIsMarkedIsTakenOnce() {
        regions.mark(REGION - 1, 2);
        regions.mark(99 * REGION, 1);

        assertThat(regions.bytes()).isEqualTo(3 * REGION);
        assertThat(taken()).containsExactly("0+1024", "50688+512");
        assertThat(taken()).isEmpty();
        assertThat(regions.bytes()).isZero();
    }

    @Test
    void theLastRegionEndsWithTheImage() {
        regions.mark(IMAGE - 1, 1);
        regions.mark(IMAGE, 10 * REGION); // it has grown

        assertThat(taken()).containsExactly(100 * REGION + "+100");
    }

    @Test
    void sixtyFourInARowAreOneRange() {
        regions.mark(0, 64 * REGION);

        assertThat(taken()).containsExactly("0+" + 64 * REGION);
    }

    @Test
    void rangesAreWhatWasMarked() {
        Random random = new Random(4);
        for (int round = 0; round < 200; round++) {
            BitSet expected = new BitSet();
            for (int i = random.nextInt(20); i >= 0; i--) {
                int offset = random.nextInt((int) IMAGE);
                int length = 1 + random.nextInt(5 * REGION);
                regions.mark(offset, length);
                int last = (int) (Math.min(offset + length, IMAGE) - 1) / REGION;
                expected.set(offset / REGION, last + 1);
            }
            BitSet found = new BitSet();
            regions.takeEach(
                    (offset, length) ->
                            found.set(
                                    (int) offset / REGION,
                                    (int) ((offset + length + REGION - 1) / REGION)));
            assertThat(found).isEqualTo(expected);
        }
    }

    @Test
    void everyFlushOfAPoolMarksUntilItIsToldOtherwise() {
        MemorySegment image = Arena.ofAuto().allocate(IMAGE, 64);
        PoolMemory memory = new PoolMemory(image, new NoPersistence());
        memory.noteChanges(regions);
        memory.persistLong(2 * REGION, 7);
        memory.flush(5 * REGION, REGION);
        memory.noteChanges(null);
        memory.flush(9 * REGION, 8);

        assertThat(taken()).containsExactly("1024+512", "2560+512");
    }
}
