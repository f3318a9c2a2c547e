package io.farheap.replication.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.epoch.Differences;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How fast a comparison goes, and what it keeps of what it found. */
class ScrubPaceTest {
    private static ScrubPace pace(String value) {
        return ScrubPace.from(Map.of(ScrubPace.VARIABLE, value));
    }

    @Test
    void isBytesPerSecondOrOff() {
        assertThat(ScrubPace.from(Map.of())).isEqualTo(pace("1M"));
        assertThat(pace("8M").bytesPerSecond()).isEqualTo(8 << 20);
        assertThat(pace("500K").bytesPerSecond()).isEqualTo(500 << 10);
        assertThat(pace("4096").nanos(2048)).isEqualTo(500_000_000);
        assertThat(pace("off").isOff()).isTrue();
        for (String bad : List.of("", "0", "fast", "-1", "1.5M", "1T")) {
            assertThatThrownBy(() -> pace(bad))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("FARHEAP_SCRUB is \"" + bad + "\"");
        }
    }

    @Test
    void differencesAreKnownUntilTheyAreGone() {
        Differences differences = new Differences();
        ByteRange one = new ByteRange(5000, 3);
        ByteRange two = new ByteRange(9000, 1);
        assertThat(differences.compared(4096, 65536, List.of(one, two))).containsExactly(one, two);
        assertThat(differences.compared(4096, 65536, List.of(one, two))).isEmpty();
        ByteRange longer = new ByteRange(9000, 2);
        assertThat(differences.compared(8192, 4096, List.of(longer))).containsExactly(longer);
        assertThat(differences.all()).containsExactly(one, longer);
        assertThat(differences.compared(4096, 4096, List.of())).isEmpty();
        assertThat(differences.all()).containsExactly(longer);
        assertThat(differences.compared(8192, 4096, List.of())).isEmpty();
        assertThat(differences.isEmpty()).isTrue();
    }

    @Test
    void onlySoManyDifferencesAreKept() {
        Differences differences = new Differences();
        for (int i = 0; i < 2 * Differences.MOST; i++) {
            differences.compared(i * 8L, 8, List.of(new ByteRange(i * 8L, 1)));
        }
        assertThat(differences.all()).hasSize(Differences.MOST);
    }
}
