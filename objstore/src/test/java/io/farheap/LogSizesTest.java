package io.farheap;

import static io.farheap.TransactionFixture.assertWrongUse;
import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.pmemobj.LogSizes;
import org.junit.jupiter.api.Test;

/** The numbers are what libpmemobj 1.12 answers. */
class LogSizesTest {
    private static final long[] SIZES = {0, 1, 40, 41, 104, 4096, 1L << 40};
    private static final long[] SNAPSHOTS = {128, 128, 128, 192, 192, 4224, 1099511633536L};

    @Test
    void ofOneSnapshot() {
        for (int i = 0; i < SIZES.length; i++) {
            assertThat(LogSizes.snapshotsMaxSize(SIZES[i]))
                    .as("%d bytes", SIZES[i])
                    .isEqualTo(SNAPSHOTS[i]);
        }
    }

    @Test
    void ofSeveralSnapshotsAndOfNone() {
        assertThat(LogSizes.snapshotsMaxSize(SIZES)).isEqualTo(1099511638144L);
        assertThat(LogSizes.snapshotsMaxSize()).isEqualTo(64);
    }

    @Test
    void ofIntents() {
        assertThat(LogSizes.intentsMaxSize(0)).isEqualTo(64);
        assertThat(LogSizes.intentsMaxSize(1)).isEqualTo(128);
        assertThat(LogSizes.intentsMaxSize(3)).isEqualTo(128);
        assertThat(LogSizes.intentsMaxSize(4)).isEqualTo(128);
        assertThat(LogSizes.intentsMaxSize(1000)).isEqualTo(16064);
        assertThat(LogSizes.intentsMaxSize(1L << 40)).isEqualTo(17592186126400L);
    }

    @Test
    void unsignedUpToTheLastBit() {
        assertThat(LogSizes.snapshotsMaxSize(Long.MAX_VALUE - 99))
                .isEqualTo(Long.parseUnsignedLong("9223372084105184112"));
        assertWrongUse(() -> LogSizes.snapshotsMaxSize(-1 - 30), "ERANGE");
        assertWrongUse(() -> LogSizes.snapshotsMaxSize(-1 - 100, 100), "ERANGE");
        assertWrongUse(() -> LogSizes.intentsMaxSize(-1L >>> 4 << 1), "ERANGE");
        assertWrongUse(() -> LogSizes.intentsMaxSize(-1L >>> 4), "ERANGE");
    }
}
