package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A writer that hears nobody for a while, and that all others hear: it calls agents meanwhile, of
 * whose greetings none arrives.
 */
@Tag("deep")
@Timeout(300)
class CutWriterTest {
    private static final Duration CUT = Duration.ofSeconds(8);

    /** Agents start, on a busy machine; less than the half of the attach timeout. */
    private static final Duration MOST_BEYOND = Duration.ofSeconds(12);

    @TempDir private Path directory;

    @Test
    void commitsGoOnSoonAfterTheNetworkIsMended() throws Exception {
        try (TurnNodes nodes = new TurnNodes(directory, 2)) {
            Cuts cuts = new CableCuts(nodes.useCables());
            nodes.begin();
            long term = nodes.acknowledged.last().term();
            long at = System.nanoTime();
            Cuts.Cut cut = new Cuts.Cut("a", "", Cuts.Way.IN, Cuts.Fate.LOST);
            cuts.make(cut);
            Awaitility.await()
                    .atMost(CUT.multipliedBy(2))
                    .until(() -> System.nanoTime() - at > CUT.toNanos());
            cuts.mend(cut);
            nodes.awaitMore(20);
            Duration gap = nodes.acknowledged.longestGapSince(at);
            System.out.println("CutWriterTest: ms without commits: " + gap.toMillis());
            assertThat(gap).isLessThan(CUT.plus(MOST_BEYOND));
            nodes.awaitWhole();
            assertThat(nodes.acknowledged.last().term()).isEqualTo(term);
            nodes.judge();
        }
    }
}
