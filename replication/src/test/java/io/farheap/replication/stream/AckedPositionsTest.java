package io.farheap.replication.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a member may claim: no more than it was sent, no less than it said before. */
class AckedPositionsTest {
    private final AckedPositions replica = new AckedPositions(new StreamMember("host", null), 42);
    private final MemorySegment message =
            Arena.ofAuto().allocate(JournalMessages.HEADER_BYTES, Long.BYTES);

    @BeforeEach
    void begin() {
        replica.posting(10, 1000);
        answer(5, 3, 300);
    }

    private void answer(long durable, long applied, long position) {
        int length = JournalMessages.durable(message, durable, applied, position);
        replica.received(message, 0, length);
    }

    @Test
    void isTakenAsLongAsItGrows() {
        answer(10, 10, 1000);
        assertThat(replica.durableSequence()).isEqualTo(10);
        assertThat(replica.appliedSequence()).isEqualTo(10);
        assertThat(replica.appliedPosition()).isEqualTo(1000);
        assertThat(replica.answers()).isEqualTo(2);
    }

    /** An answer that is taken while it is lost proves something; not that it is there. */
    @Test
    void sinceWhenNothingIsProvenIsSaidWithTheLoss() {
        FarheapException why =
                new FarheapException(FarheapException.Category.REPLICA, "the connection broke");
        long before = System.nanoTime() | 1;
        long since = replica.lose(null, why);
        answer(6, 3, 300);
        assertThat(since - before).isBetween(0L, System.nanoTime() + 1 - before);
        assertThat(replica.lost()).isEqualTo(why);
        assertThat(replica.lose(null, why)).as("no news").isZero();
    }

    /** Each row breaks one rule only: without its check this answer would count. */
    @ParameterizedTest
    @CsvSource({
        "11, 3, 300, durable but never posted",
        "4, 3, 300, no longer durable",
        "5, 6, 300, applied but not durable",
        "5, 2, 300, no longer applied",
        "5, 3, 299, applied less far",
        "5, 3, 1001, applied farther than was posted"
    })
    void isRefusedWhenItCannotBe(long durable, long applied, long position, String why) {
        assertThatThrownBy(() -> answer(durable, applied, position))
                .as(why)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("claims to have");
        assertThat(replica.durableSequence()).isEqualTo(5);
        assertThat(replica.appliedSequence()).isEqualTo(3);
        assertThat(replica.answers()).isEqualTo(1);
    }
}
