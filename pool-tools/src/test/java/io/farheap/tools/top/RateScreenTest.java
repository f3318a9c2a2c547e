package io.farheap.tools.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.live.LiveFigures;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RateScreenTest {
    private static String screen(Map<String, Long> more) {
        Map<String, Long> counts = new HashMap<>(Map.of("commits", 30L, "fences", 90L));
        counts.putAll(more);
        StringWriter screen = new StringWriter();
        PrintWriter out = new PrintWriter(screen);
        LiveFigures before = new LiveFigures(0, Map.of("commits", 10L, "fences", 30L));
        RateScreen.print(out, new Rates(before, new LiveFigures(2_000_000_000L, counts)), null);
        out.flush();
        return screen.toString();
    }

    @Test
    void itShowsHowFullTheHeapIs() {
        String shown =
                screen(
                        Map.of(
                                "heapUsedBytes", 3_000_000L,
                                "heapFreeBytes", 1_000_000L,
                                "heapLargestFreeBytes", 524_288L));
        assertThat(shown)
                .containsPattern("commits +10\\.0 +1\\.00 +30")
                .contains(
                        "heap: 3,000,000 of 4,000,000 bytes in use (75.0%), largest free block"
                                + " 524,288");
    }

    @Test
    void itShowsHowLongCommitsOfThisIntervalTook() {
        Map<String, Long> measured = new HashMap<>();
        measured.put("commitNanosBelow870", 4L);
        measured.put("commitNanosBelow12288", 10L);
        measured.put("commitNanosBelow622592", 1L);
        measured.put("replicaWaitNanosBelow9216", 14L);
        assertThat(screen(measured))
                .containsPattern("commits +12\\.3 µs +623 µs")
                .containsPattern("replica waits +9\\.22 µs +9\\.22 µs");
        assertThat(RateScreen.readable(999_400)).isEqualTo("999 µs");
        assertThat(RateScreen.readable(999_500)).isEqualTo("1.00 ms");
        assertThat(RateScreen.readable(12_340_000_000L)).isEqualTo("12.3 s");
    }

    @Test
    void ofAHundredOneMayHaveTakenLonger() {
        Map<String, Long> before = Map.of("commitNanosBelow10", 7L, "commitNanosBelow20", 1000L);
        Map<String, Long> now =
                Map.of(
                        "commitNanosBelow10", 7L + 98,
                        "commitNanosBelow20", 1000L,
                        "commitNanosBelow40", 1L,
                        "commitNanosBelow80", 1L);
        Rates rates = new Rates(new LiveFigures(0, before), new LiveFigures(1, now));
        assertThat(rates.quantile("commitNanos", 0.5)).hasValue(10);
        assertThat(rates.quantile("commitNanos", 0.99)).hasValue(40);
        assertThat(rates.quantile("commitNanos", 1)).hasValue(80);
        assertThat(rates.quantile("replicaWaitNanos", 0.5)).isEmpty();
    }

    @Test
    void itShowsWhatTheDiskJournalDidLast() {
        Map<String, Long> last = new HashMap<>();
        last.put("lastDiskSyncEndedNanos", 1_750_000_000L);
        last.put("lastDiskSyncTookNanos", 1_230_000L);
        assertThat(screen(last))
                .contains("last disk sync     took 1.23 ms, ended 250 ms ago")
                .doesNotContain("last checkpoint");
        last.put("lastCheckpointEndedNanos", -28_000_000_000L);
        last.put("lastCheckpointTookNanos", 45_600_000L);
        assertThat(screen(last)).contains("last checkpoint    took 45.6 ms, ended 30.0 s ago");
    }

    @Test
    void ofAnotherVersionItShowsWhatThatTells() {
        assertThat(screen(Map.of())).contains("fences").doesNotContain("heap", "p99", "last");
    }
}
