package io.farheap.agent.store;

import static io.farheap.agent.store.SimulatedReplica.HEAP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.records.RecordWriter;
import io.farheap.base.FarheapException;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A member that commits do not wait for: its number alone does not prove what it has. */
class LaggingReplicaTest {
    private static final long L = 1000;
    private static final long N = 5000;
    private static final long N2 = 9000;
    private static final long A = HEAP + 4096;

    private final SimulatedReplica replica = SimulatedReplica.fresh();
    private final MemorySegment pool = SimulatedReplica.emptyPool();
    private ReplicaStore store;
    private RecordWriter writer;

    @BeforeEach
    void join() {
        store = replica.start();
        SimulatedReplica.copyTo(store, pool, L, N);
        store.switching().confirm(N, true);
        writer = new RecordWriter(store.intake().ring(), N);
    }

    private void flush() {
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(writer.sequence());
    }

    private static AttachDecision attach(ReplicaStore to, long l, long committed) {
        return to.switching().attach(l, N2, List.of(), committed, false);
    }

    @Test
    void saysSoFromTheConfirmOnWhateverAPowerLossTakes() {
        for (Loss loss : Loss.values()) {
            ReplicaStore after = replica.crash(loss, new Random(7)).start();
            assertThat(after.slot().mayLag()).as("%s", loss).isTrue();
            assertThat(attach(after, N, SlotReport.NOT_KNOWN)).isEqualTo(AttachDecision.STALE);
        }
    }

    @Test
    void isNeitherPreparedNorCurrentByItsNumberAloneAndTellsItsTail() {
        writer.set(0, A, 11);
        flush();
        ReplicaStore next = replica.start();
        assertThat(attach(next, N, SlotReport.NOT_KNOWN)).isEqualTo(AttachDecision.STALE);
        assertThat(next.slot().next()).isZero();
        assertThatThrownBy(next.switching()::prepare).isInstanceOf(FarheapException.class);
        assertThat(next.switching().footprint()).containsExactly(new ByteRange(A, 8));
        next.switching().startSync();
        assertThat(next.slot().mayLag()).isFalse();
        assertThat(next.slot().state()).isEqualTo(ReplicaState.SYNCING);
    }

    @Test
    void isRecognisedInTheSameRunIfItHasAllThatWasCommitted() {
        writer.set(0, A, 11).set(1, A, 12);
        flush();
        assertThat(attach(replica.start(), N, 3)).isEqualTo(AttachDecision.STALE);
        ReplicaStore next = replica.start();
        assertThat(attach(next, N, 2)).isEqualTo(AttachDecision.CURRENT);
        next.switching().drain(2);
        next.switching().prepare();
        assertThat(next.slot().mayLag()).as("until it is confirmed in another number").isTrue();
        next.switching().confirm(N2, false);
        assertThat(next.slot().mayLag()).isFalse();
        assertThat(next.report().decisionOn(N2, List.of())).isEqualTo(AttachDecision.CURRENT);
    }

    /** In the number that it was prepared for nothing was committed while it was not confirmed. */
    @Test
    void hasAllOfTheNumberItWasPreparedFor() {
        ReplicaStore next = replica.start();
        assertThat(attach(next, N, 0)).isEqualTo(AttachDecision.CURRENT);
        next.switching().drain(0);
        next.switching().prepare();
        for (int times = 0; times < 2; times++) {
            ReplicaStore later = replica.start();
            assertThat(later.switching().attach(N2, N2 + 1000 + times * 2, List.of(), -1, false))
                    .isEqualTo(AttachDecision.CURRENT);
            assertThat(later.slot().mayLag()).isFalse();
        }
    }

    @Test
    void lagsNoMoreOnceItHasTheLastRecordOfAll() {
        writer.set(0, A, 11);
        flush();
        assertThatThrownBy(() -> store.caughtUp(2))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("reach to 1, not to 2");
        assertThat(store.slot().mayLag()).isTrue();
        store.caughtUp(1);
        writer.set(1, A, 12);
        assertThatThrownBy(() -> store.intake().flush(0, writer.position()))
                .as("nothing comes after the last one")
                .isInstanceOf(FarheapException.class);
        for (Loss loss : Loss.values()) {
            ReplicaStore after = replica.crash(loss, new Random(7)).start();
            assertThat(attach(after, N, SlotReport.NOT_KNOWN))
                    .as("%s", loss)
                    .isEqualTo(AttachDecision.CURRENT);
        }
    }

    @Test
    void takesTheRestOfTheRecordsAgainAfterItsConnectionWasLost() {
        writer.set(0, A, 11);
        flush();
        ReplicaStore next = replica.start();
        assertThat(next.resume(N)).isEqualTo(AttachDecision.CURRENT);
        writer.set(1, A, 12);
        assertThat(next.intake().flush(0, writer.position())).isEqualTo(2);
        assertThat(next.slot().mayLag()).isTrue();
    }

    @Test
    void keepsWhatToolsMustKnowWhenItIsPromoted() {
        writer.set(0, A, 11).set(1, A, 12);
        flush();
        assertThat(store.ownership().promote()).isEqualTo(2);
        assertThat(replica.image.getLong(A)).isEqualTo(12);
        assertThat(replica.start().report().mayLag()).isTrue();
        assertThat(replica.start().report().lastSequence()).isEqualTo(2);
    }
}
