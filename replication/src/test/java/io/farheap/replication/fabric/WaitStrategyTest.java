package io.farheap.replication.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitStrategyTest {
    private final WaitStrategy waiting = new WaitStrategy(20, 200);

    @Test
    void itPassesTheTimeForSpinningAndYieldingAndThenAsksToBlock() {
        assertThat(waiting.pause(0)).isTrue();
        assertThat(waiting.pause(20)).isTrue();
        assertThat(waiting.pause(219)).isTrue();
        assertThat(waiting.pause(220)).isFalse();
    }

    @Test
    void inACrowdItBlocksNoEarlierAndNoLater() {
        assertThat(waiting.pause(0, true)).isTrue();
        assertThat(waiting.pause(219, true)).isTrue();
        assertThat(waiting.pause(220, true)).isFalse();
    }

    @Test
    void blockingNeverPassesAMoment() {
        assertThat(WaitStrategy.BLOCKING.pause(0)).isFalse();
        assertThat(WaitStrategy.BLOCKING.pause(0, true)).isFalse();
    }
}
