package io.farheap.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The mark of a disk journal is a feature bit with the journal's id; the checksum is without. */
class PoolHeaderMarkTest {
    private static final long INCOMPAT = 16;
    private static final long JOURNAL_ID = 144;

    private final byte[] content = new byte[4096];
    private final MemorySegment page = MemorySegment.ofArray(content);
    private final PoolHeader header = new PoolHeader(page);

    @BeforeEach
    void aHeaderWithoutAMark() {
        new Random(7).nextBytes(content);
        header.clearMark();
        header.setFeatures(header.features()); // the checksum is right
    }

    @Test
    void isTakenAwayWithoutARest() {
        byte[] before = content.clone();
        header.mark(5);
        assertThat(header.isMarked()).isTrue();
        assertThat(header.checksumMatches()).isFalse();
        assertThat(header.withoutMark().checksumMatches()).isTrue();
        header.clearMark();
        assertThat(content).isEqualTo(before);
    }

    @Test
    void oneHalfOfItIsDamage() {
        int incompat = page.get(ValueLayout.JAVA_INT_UNALIGNED, INCOMPAT);
        page.set(ValueLayout.JAVA_INT_UNALIGNED, INCOMPAT, incompat | FeatureFlags.DISK_JOURNAL);
        assertThat(header.isMarked()).isFalse();
        page.set(ValueLayout.JAVA_INT_UNALIGNED, INCOMPAT, incompat);
        page.set(ValueLayout.JAVA_LONG_UNALIGNED, JOURNAL_ID, 5);
        assertThat(header.isMarked()).isFalse();
    }
}
