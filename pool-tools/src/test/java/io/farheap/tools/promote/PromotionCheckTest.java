package io.farheap.tools.promote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.replication.control.Blob;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.journal.SlotTimes;
import io.farheap.replication.session.ReplicaReport;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said of a replica before it is promoted. */
class PromotionCheckTest {
    private static SlotReport slot(ReplicaState state, long cur, long next, long runId) {
        return new SlotReport(state, cur, next, 400, 5, 2, runId, false, false);
    }

    private static PromotionCheck holding(SlotReport slot, String holder, String... faults) {
        return new PromotionCheck(
                "copy.set", new ReplicaReport(slot, Blob.EMPTY, 10 << 20, List.of(faults), holder));
    }

    private static void assertRefused(PromotionCheck holding, String... words) {
        assertThatThrownBy(holding::requireWhole)
                .hasMessageStartingWith("copy.set cannot be promoted: ")
                .hasMessageContainingAll(words);
    }

    @Test
    void aMemberSaysItsEpochAndHowFarItsRecordsGo() {
        PromotionCheck member = holding(slot(ReplicaState.INSYNC, 400, 0, 2), "");
        assertThatCode(member::requireWhole).doesNotThrowAnyException();
        assertThatCode(member::requireFree).doesNotThrowAnyException();
        assertThat(member.isDone()).isFalse();
        assertThat(member.text())
                .isEqualTo(
                        "copy.set: INSYNC, epoch 400, records up to number 7, 2 of them not applied"
                                + " yet");
        SlotReport timed = slot(ReplicaState.INSYNC, 400, 0, 2).at(new SlotTimes(1_000, 3_600_000));
        assertThat(holding(timed, "").text())
                .contains(
                        "epoch 400 since 1970-01-01T00:00:01Z (last written 1970-01-01T01:00:00Z),");
        SlotReport lagging = new SlotReport(ReplicaState.INSYNC, 400, 0, 400, 7, 0, 2, false, true);
        assertThat(holding(lagging, "").text())
                .contains("all applied; commits did not wait for it");
        assertThat(holding(slot(ReplicaState.INSYNC, 600, 800, 2), "").text())
                .contains("epoch 600 (prepared for 800)", "number 7 of epoch 400");
    }

    @Test
    void whatIsNoWholeCopyIsRefusedWithWhatToDo() {
        assertRefused(holding(null, ""), "no files", "another copy");
        assertRefused(holding(null, "", "x.journal is missing"), "x.journal is missing");
        assertRefused(holding(slot(ReplicaState.NEW, 0, 0, 0), ""), "state NEW");
        assertRefused(
                holding(slot(ReplicaState.SYNCING, 0, 0, 0), ""), "state SYNCING", "finish it");
        assertRefused(
                holding(slot(ReplicaState.INSYNC, 400, 0, 2), "", "part1 is missing"),
                "part1 is missing");
        assertRefused(
                holding(new SlotReport(ReplicaState.INSYNC, 4, 0, 4, 5, 2, 8, true, false), ""),
                "past the agent (run_id 8)",
                "2 records");
    }

    @Test
    void oneThatIsHeldIsNotFree() {
        PromotionCheck held = holding(slot(ReplicaState.INSYNC, 400, 0, 2), "bank@here (agent 7)");
        assertThatThrownBy(held::requireFree)
                .hasMessageContainingAll("bank@here (agent 7)", "--take-over");
    }

    @Test
    void oneOfAPoolUnderAutomaticFailOverIsRefusedWithWhatToDo() {
        PromotionCheck alone = holding(slot(ReplicaState.INSYNC, 400, 0, 2), "");
        assertThatCode(alone::requireNoRecord).doesNotThrowAnyException();
        PromotionCheck recorded = holding(slot(ReplicaState.INSYNC, 400, 0, 2).inTerm(7), "");
        assertThatThrownBy(recorded::requireNoRecord)
                .hasMessageStartingWith("copy.set cannot be promoted: ")
                .hasMessageContainingAll(
                        "term 7", "farheap ha status", "farheap ha switchover", "--despite-record");
    }

    @Test
    void aPromotedOneIsDoneUnlessThatWasCut() {
        PromotionCheck whole = holding(slot(ReplicaState.PROMOTED, 900, 0, 900), "");
        assertThatCode(whole::requireWhole).doesNotThrowAnyException();
        assertThat(whole.isDone()).isTrue();
        assertThat(whole.text()).contains("number 900", "returned in epoch 400");
        assertThat(holding(slot(ReplicaState.PROMOTED, 900, 0, 2), "").isDone()).isFalse();
        // Its owner has it open.
        assertThat(holding(slot(ReplicaState.PROMOTED, 900, 0, 902), "", "in use").isDone())
                .isTrue();
    }
}
