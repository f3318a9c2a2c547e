package io.farheap.tools.info;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AreasTest {
    /** The example of the paper: 6 by 4. */
    @Test
    void thePapersExample() {
        List<Areas.Area> areas = Areas.of(List.of(6L, 6L, 4L, 3L, 2L, 2L, 1L), 6, 4);
        assertThat(areas.get(0)).isEqualTo(new Areas.Area(0, 0, 3, 2));
        assertThat(areas.get(1)).isEqualTo(new Areas.Area(0, 2, 3, 2));
        assertThat(areas.get(2).width()).isCloseTo(4 / (7.0 / 3), within(1e-9));
        assertThat(areas.get(2).height()).isCloseTo(7.0 / 3, within(1e-9));
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void piecesFillTheRectangleAndDoNotOverlap(long seed) {
        Random random = new Random(seed);
        List<Long> weights =
                random.longs(1 + random.nextInt(60), 1, 1L << (1 + random.nextInt(40)))
                        .boxed()
                        .sorted(Comparator.reverseOrder())
                        .toList();
        double all = weights.stream().mapToDouble(Long::doubleValue).sum();
        List<Areas.Area> areas = Areas.of(weights, 900, 320);
        assertThat(areas).hasSameSizeAs(weights);
        for (int i = 0; i < areas.size(); i++) {
            Areas.Area area = areas.get(i);
            assertThat(area.width() * area.height())
                    .isCloseTo(weights.get(i) / all * 900 * 320, within(1e-3));
            assertThat(area.x()).isGreaterThanOrEqualTo(0);
            assertThat(area.x() + area.width()).isLessThan(900 + 1e-3);
            assertThat(area.y() + area.height()).isLessThan(320 + 1e-3);
            for (Areas.Area other : areas.subList(0, i)) {
                double wide =
                        Math.min(area.x() + area.width(), other.x() + other.width())
                                - Math.max(area.x(), other.x());
                double high =
                        Math.min(area.y() + area.height(), other.y() + other.height())
                                - Math.max(area.y(), other.y());
                assertThat(Math.min(wide, high)).isLessThan(1e-6);
            }
        }
    }
}
