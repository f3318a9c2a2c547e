package io.farheap.replication.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.replication.journal.ReplicaState;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a replica's numbers prove. */
class SlotReportTest {
    private static final long CUR = 4;
    private static final long NEXT = 6;
    private static final long L = 8;

    private static SlotReport slot(ReplicaState state, long next) {
        return new SlotReport(state, CUR, next, CUR, 5, 2, CUR, false, false);
    }

    @Test
    void theNumberItHasOrWasPreparedForProvesThatItIsOlder() {
        SlotReport prepared = slot(ReplicaState.INSYNC, NEXT);
        assertThat(prepared.decisionOn(NEXT, List.of())).isEqualTo(AttachDecision.CURRENT);
        assertThat(prepared.decisionOn(L, List.of(CUR))).isEqualTo(AttachDecision.STALE);
        // The pool got that number, was cut off, and went on without this replica.
        assertThat(prepared.decisionOn(L, List.of(NEXT))).isEqualTo(AttachDecision.STALE);
        assertThat(prepared.decisionOn(L, List.of(5L, 7L)))
                .isEqualTo(AttachDecision.NOT_COMPARABLE);
    }

    @Test
    void noNumberProvesNothing() {
        SlotReport member = slot(ReplicaState.INSYNC, 0);
        assertThat(member.decisionOn(L, List.of(0L))).isEqualTo(AttachDecision.NOT_COMPARABLE);
        assertThat(slot(ReplicaState.SYNCING, NEXT).decisionOn(L, List.of(NEXT)))
                .isEqualTo(AttachDecision.SYNC_INTERRUPTED);
        assertThat(slot(ReplicaState.PROMOTED, NEXT).decisionOn(L, List.of(NEXT)))
                .isEqualTo(AttachDecision.TAKEN_OVER);
    }

    @Test
    void aNumberIsNotEnoughWhereItsRecordsAreKnown() {
        SlotReport member = slot(ReplicaState.INSYNC, NEXT);
        assertThat(member.has(CUR, 7)).isTrue();
        assertThat(member.has(CUR, 8)).isFalse();
        assertThat(member.has(NEXT, 0)).isTrue();
        assertThat(member.has(NEXT, 1)).as("it was confirmed before it had that").isFalse();
        assertThat(member.has(L, 0)).isFalse();
        assertThat(slot(ReplicaState.INSYNC, 0).has(0, 0)).isFalse();
    }

    @Test
    void recordsOfAnEarlierNumberAreNoneOfThisOne() {
        SlotReport confirmed =
                new SlotReport(ReplicaState.INSYNC, L, 0, CUR, 5, 2, CUR, false, false);
        assertThat(confirmed.has(L, 0)).isTrue();
        assertThat(confirmed.has(L, 1)).isFalse();
    }
}
