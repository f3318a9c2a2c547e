package io.farheap.replication.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SpokenVersionsTest {
    @ParameterizedTest
    @CsvSource({"5,5, 5,5, 5", "5,5, 5,6, 5", "5,6, 5,6, 6", "5,6, 6,7, 6", "4,7, 5,6, 6"})
    void twoSidesUseTheHighestThatBothKnow(int low, int high, int its, int itsHigh, int agreed) {
        SpokenVersions one = new SpokenVersions(low, high);
        SpokenVersions other = new SpokenVersions(its, itsHigh);
        assertThat(one.agreedWith(other)).hasValue(agreed);
        assertThat(other.agreedWith(one)).hasValue(agreed);
    }

    @Test
    void twoReleasesApartNothingIsCommonAndTheOlderSideIsUpgraded() {
        SpokenVersions older = new SpokenVersions(4, 5);
        SpokenVersions newer = new SpokenVersions(6, 7);
        assertThat(older.agreedWith(newer)).isEmpty();
        assertThat(newer.agreedWith(older)).isEmpty();
        assertThat(SpokenVersions.advice(older, newer)).startsWith("upgrade the agent first");
        assertThat(SpokenVersions.advice(newer, older)).startsWith("upgrade the program first");
    }

    @Test
    void aRangeIsToldAsSuch() {
        assertThat(new SpokenVersions(5, 5)).hasToString("farheap-control 5");
        assertThat(new SpokenVersions(5, 6)).hasToString("farheap-control 5 to 6");
        assertThatThrownBy(() -> new SpokenVersions(6, 5)).hasMessageContaining("lowestVersion");
        assertThatThrownBy(() -> new SpokenVersions(0, 5)).hasMessageContaining("lowestVersion");
    }

    /** What is released later knows this one, and no older one was released. */
    @Test
    void thisBuildSpeaksTheVersionOfItsMessages() {
        assertThat(SpokenVersions.OURS).isEqualTo(new SpokenVersions(5, Reply.VERSION));
    }
}
