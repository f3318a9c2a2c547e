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
    void ofAnotherVersionItShowsWhatThatTells() {
        assertThat(screen(Map.of())).contains("fences").doesNotContain("heap");
    }
}
