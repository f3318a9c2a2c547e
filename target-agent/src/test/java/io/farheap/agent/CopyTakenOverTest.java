package io.farheap.agent;

import static io.farheap.agent.SimulatedReplica.HEAP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.TakenTail;
import io.farheap.replication.journal.ReplicaState;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A node takes a pool over with its copy: all records count, and the number is the recorded one.
 */
class CopyTakenOverTest {
    private static final long L = 1000;
    private static final long N = 5000;
    private static final long N2 = 9000;
    private static final long A = HEAP + 4096;
    private static final long B = HEAP + 8192;

    private final SimulatedReplica replica = SimulatedReplica.fresh();
    private final MemorySegment pool = SimulatedReplica.emptyPool();
    private ReplicaStore store;
    private RecordWriter writer;

    @BeforeEach
    void join() {
        store = replica.start();
        SimulatedReplica.join(store, pool, L, N);
        writer = new RecordWriter(store.intake().ring(), N);
    }

    private long runId() {
        return replica.image.getLong(Descriptor.RUN_ID);
    }

    @Test
    void itReplaysTheWholeTailAndKeepsTheNumber() {
        writer.set(0, A, 11).set(1, B, 22);
        ReplicaStore taken = replica.start();
        taken.greet(7);
        assertThat(taken.takeOver(N)).isEqualTo(new TakenTail(N, 0, 2));
        assertThat(replica.image.getLong(A)).isEqualTo(11);
        assertThat(replica.image.getLong(B)).isEqualTo(22);
        assertThat(runId()).isEqualTo(N);
        assertThat(taken.slot().state()).isEqualTo(ReplicaState.PROMOTED);
        assertThat(taken.slot().cur()).isEqualTo(N);
        assertThat(taken.slot().term()).isEqualTo(7);
        assertThat(taken.slot().appliedSequence()).isEqualTo(2);
        assertThat(replica.start().takeOver(N)).as("the second time").isEqualTo(TakenTail.NONE);
    }

    /** The switch was recorded, and its members were not told of that any more. */
    @Test
    void whatItWasPreparedForItHasWithoutItsRecords() {
        writer.set(0, A, 11);
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(1);
        assertThat(store.attach(N, N2, List.of(), 0, false)).isEqualTo(AttachDecision.CURRENT);
        store.drain(0);
        store.prepare();
        ReplicaStore taken = replica.start();
        assertThat(taken.takeOver(N2)).isEqualTo(TakenTail.NONE);
        assertThat(replica.image.getLong(A)).as("rolled back by the writer").isZero();
        assertThat(runId()).isEqualTo(N2);
        assertThat(taken.slot().cur()).isEqualTo(N2);
        assertThat(taken.slot().next()).isZero();
    }

    @Test
    void aSwitchThatWasNotRecordedLeavesItTheRecordsOfTheTimeBefore() {
        writer.set(0, A, 11);
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(1);
        assertThat(store.attach(N, N2, List.of(), 1, false)).isEqualTo(AttachDecision.CURRENT);
        ReplicaStore taken = replica.start();
        assertThat(taken.takeOver(N).sequence()).isEqualTo(1);
        assertThat(replica.image.getLong(A)).isEqualTo(11);
        assertThat(runId()).isEqualTo(N);
    }

    @Test
    void anyOtherNumberIsRefusedAndChangesNothing() {
        assertThatThrownBy(() -> store.takeOver(N2))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("can't take over with the number " + N2);
        assertThat(store.slot().state()).isEqualTo(ReplicaState.INSYNC);
    }

    /** Half a copy has no number. */
    @Test
    void soIsHalfACopy() {
        AttachDecision unused = store.attach(4711, N2, List.of(N), SlotReport.NOT_KNOWN, false);
        store.startSync();
        assertThatThrownBy(() -> store.takeOver(N)).hasMessageContaining("can't take over");
    }

    @Test
    void theOldWriterIsNotHeardAnyMore() {
        store.greet(7);
        ReplicaStore taken = replica.start();
        taken.greet(8);
        TakenTail unused = taken.takeOver(N);
        assertThatThrownBy(() -> replica.start().greet(7)).hasMessageContaining("of term 8");
        assertThat(taken.attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.TAKEN_OVER);
    }
}
