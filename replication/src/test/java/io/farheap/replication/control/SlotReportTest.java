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
        assertThat(prepared.verdictOn(NEXT, List.of())).isEqualTo(VerdictKind.RECOGNISED);
        assertThat(prepared.verdictOn(L, List.of(CUR))).isEqualTo(VerdictKind.STALE);
        // The pool got that number, was cut off, and went on without this replica.
        assertThat(prepared.verdictOn(L, List.of(NEXT))).isEqualTo(VerdictKind.STALE);
        assertThat(prepared.verdictOn(L, List.of(5L, 7L))).isEqualTo(VerdictKind.NOT_COMPARABLE);
    }

    @Test
    void noNumberProvesNothing() {
        SlotReport member = slot(ReplicaState.INSYNC, 0);
        assertThat(member.verdictOn(L, List.of(0L))).isEqualTo(VerdictKind.NOT_COMPARABLE);
        assertThat(slot(ReplicaState.SYNCING, NEXT).verdictOn(L, List.of(NEXT)))
                .isEqualTo(VerdictKind.SYNC_INTERRUPTED);
        assertThat(slot(ReplicaState.PROMOTED, NEXT).verdictOn(L, List.of(NEXT)))
                .isEqualTo(VerdictKind.TAKEN_OVER);
    }
}
