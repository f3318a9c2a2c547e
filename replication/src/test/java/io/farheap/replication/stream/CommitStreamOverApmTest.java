package io.farheap.replication.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.CommitUnknownException;
import io.farheap.replication.FakeTarget;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.journal.ProgressLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import org.junit.jupiter.api.Test;

/** The same stream to targets whose journal is read, not asked. */
class CommitStreamOverApmTest extends CommitStreamTest {
    @Override
    DurabilityMethod method() {
        return DurabilityMethod.APM;
    }

    private void assertNextCommitIsUnknown(String because) {
        long durable = stream.durableSequence();
        long ticket = append(8, 99);
        assertThatThrownBy(() -> stream.awaitDurable(ticket))
                .isInstanceOf(CommitUnknownException.class)
                .hasMessageContaining(because);
        assertThat(stream.durableSequence()).isEqualTo(durable);
        stream.rolledBack(ticket);
    }

    /** Here a READ tells: there is no answer that could claim more than was posted. */
    @Test
    @Override
    void anAnswerAboutWhatWasNeverPostedBreaksTheStream() {
        open(1, 1 << 16, QUIET);
        targets.get(0).mute = true;
        targets.get(0).claimDurable(2);
        assertNextCommitIsUnknown("sends a message of kind 2 that nobody asked for");
    }

    @Test
    void aReadThatFindsNothingIsNoAnswer() {
        open(1, 1 << 16, QUIET);
        targets.get(0).loseWrites();
        assertNextCommitIsUnknown("has something else where record 1 was written");
    }

    /** Of an earlier lap, at the same place: its trailer is another one. */
    @Test
    void aReadThatFindsWhatLayThereBeforeIsNoAnswer() {
        open(1, 4096, QUIET);
        for (int i = 0; i < 40; i++) {
            commit(8, i);
        }
        targets.get(0).loseWrites();
        assertNextCommitIsUnknown("has something else where record");
    }

    /** Of an agent that lost its core while it wrote; space has to wait, commits don't. */
    @Test
    void progressThatIsHalfWrittenIsNoNews() {
        open(1, 1 << 16, QUIET);
        FakeTarget target = targets.get(0);
        commit(8, 1);
        target.stopsPublishing = true;
        target.awaitLook();
        target.published.fill((byte) 1);
        for (int i = 0; i < 300; i++) {
            commit(8, i);
        }
        target.stopsPublishing = false;
        stream.drain(QUIET.commitTimeout());
    }

    @Test
    void progressOfAnotherEpochIsAFault() {
        assertFault(EPOCH + 2, 0, 0, "publishes progress of epoch 44");
    }

    @Test
    void progressBeyondWhatWasPostedIsAFault() {
        assertFault(EPOCH, 1000, 1 << 20, "claims to have record 1000 of 2");
    }

    @Test
    void aPositionBeyondWhatWasPostedIsAFault() {
        assertFault(EPOCH, 1, 1 << 20, "claims to have applied record 1 of 2");
    }

    private void assertFault(long epoch, long applied, long position, String because) {
        open(1, 1 << 16, QUIET);
        FakeTarget target = targets.get(0);
        target.lazy = true;
        commit(8, 1);
        target.stopsPublishing = true;
        target.awaitLook();
        ProgressLayout.write(
                target.published,
                new ReplicaSlot(
                        ReplicaState.INSYNC, epoch, 0, epoch, applied, position, 0, 1, false, 0));
        assertNextCommitIsUnknown(because);
    }
}
