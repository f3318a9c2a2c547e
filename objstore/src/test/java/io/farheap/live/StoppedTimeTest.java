package io.farheap.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A process that is stopped for a moment is waited for. */
class StoppedTimeTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final StoppedTime time = new StoppedTime();

    private boolean look(boolean isStopped, long begin, long second) {
        time.look(isStopped, begin * SECOND, second * SECOND);
        return time.isLong(second * SECOND);
    }

    @Test
    void oneLookAfterALongSilenceTellsNothing() {
        for (int second = 1; second < 30; second++) {
            assertThat(look(second % 9 == 0, 0, second)).as("second %s", second).isFalse();
        }
    }

    @Test
    void stoppedAtEachLookForTenSecondsIsStopped() {
        for (int second = 5; second < 15; second++) {
            assertThat(look(true, 0, second)).as("second %s", second).isFalse();
        }
        assertThat(look(true, 0, 15)).isTrue();
    }

    @Test
    void whoRanOnceIsGivenTheTimeAgain() {
        assertThat(look(true, 0, 1)).isFalse();
        assertThat(look(false, 0, 9)).isFalse();
        assertThat(look(true, 0, 10)).isFalse();
        assertThat(look(true, 0, 19)).isFalse();
        assertThat(look(true, 0, 20)).isTrue();
    }

    @Test
    void whoSaidSomethingMeanwhileIsGivenTheTimeAgain() {
        assertThat(look(true, 0, 1)).isFalse();
        assertThat(look(true, 15, 16)).isFalse();
    }
}
