package io.farheap.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One wrong word of those that only the checksum tells of is found and put right; more are not. */
class PoolHeaderCorrectionTest {
    private static final long POOLSET_UUID = 24;
    private static final long CREATION_TIME = 120;

    private final byte[] content = new byte[4096];
    private final MemorySegment page = MemorySegment.ofArray(content);
    private final PoolHeader header = new PoolHeader(page);
    private byte[] right;
    private long checksum;

    @BeforeEach
    void anyHeader() {
        new Random(7).nextBytes(content);
        header.setFeatures(header.features()); // the checksum is right
        checksum = header.storedChecksum();
        right = content.clone();
    }

    private void spoil(long offset) {
        int was = page.get(ValueLayout.JAVA_INT_UNALIGNED, offset);
        page.set(ValueLayout.JAVA_INT_UNALIGNED, offset, was + 1);
    }

    @ParameterizedTest
    @ValueSource(longs = {POOLSET_UUID, POOLSET_UUID + 12, CREATION_TIME, CREATION_TIME + 4})
    void oneWordIsPutRight(long offset) {
        spoil(offset);
        assertThat(header.checksumMatches()).isFalse();
        assertThat(header.correctWord(checksum)).isTrue();
        assertThat(content).isEqualTo(right);
    }

    @Test
    void twoAreLeftAlone() {
        spoil(POOLSET_UUID);
        spoil(CREATION_TIME);
        byte[] wrong = content.clone();
        assertThat(header.correctWord(checksum)).isFalse();
        assertThat(content).isEqualTo(wrong);
    }

    @Test
    void whatElseIsWrongIsLeftAlone() {
        spoil(2048);
        byte[] wrong = content.clone();
        assertThat(header.correctWord(checksum)).isFalse();
        assertThat(content).isEqualTo(wrong);
    }

    /** Some wrong checksums could be explained by a word that is right. */
    @ParameterizedTest
    @ValueSource(ints = {0, 7, 23, 29, 30, 31, 32, 40, 63})
    void aWrongChecksumIsNoReasonToChangeAWord(int bit) {
        assertThat(header.correctWord(checksum ^ 1L << bit)).isFalse();
        assertThat(content).isEqualTo(right);
    }
}
