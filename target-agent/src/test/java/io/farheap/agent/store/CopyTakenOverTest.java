package io.farheap.agent.store;

import static io.farheap.agent.store.SimulatedReplica.HEAP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.records.RecordWriter;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.TakenTail;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A node takes a pool over with its copy: all records count, and the number is the recorded one.
 */
class CopyTakenOverTest {
    private static final long L = 1000;
    private static final long N = 5000;
    private static final long N2 = 9000;
    private static final long N3 = 9900;
    private static final long A = HEAP + 4096;
    private static final long B = HEAP + 8192;

    private final SimulatedReplica replica = SimulatedReplica.fresh();
    private final MemorySegment pool = SimulatedReplica.emptyPool();
    private final MemorySegment others = Arena.ofAuto().allocate(SimulatedReplica.RING_BYTES, 64);
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
        taken.greet(7, 0);
        TakenTail tail = taken.ownership().takeOver(N);
        assertThat(tail.epoch()).isEqualTo(N);
        assertThat(tail.sequence()).isEqualTo(2);
        assertThat(replica.image.getLong(A)).isEqualTo(11);
        assertThat(replica.image.getLong(B)).isEqualTo(22);
        assertThat(runId()).isEqualTo(N);
        assertThat(taken.slot().state()).isEqualTo(ReplicaState.PROMOTED);
        assertThat(taken.slot().cur()).isEqualTo(N);
        assertThat(taken.slot().term()).isEqualTo(7);
        assertThat(taken.slot().appliedSequence()).as("where its tail began").isZero();
        assertThat(tail.applied()).isZero();
        TakenTail again = replica.start().ownership().takeOver(N);
        assertThat(again.sequence()).as("the second time").isEqualTo(2);
        assertThat(again.ring().mismatch(tail.ring())).isEqualTo(-1);
    }

    /** Another copy has them, whose node has taken the pool over. */
    @Test
    void aPreparedCopyGetsTheRecordsThatItLacks() {
        writer.set(0, A, 11);
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(1);
        RecordWriter other = new RecordWriter(others, N).set(0, A, 11);
        long begin = other.position();
        byte[] lacking = bytes(begin, other.set(1, B, 22).set(1, A, 33).position());
        prepare();
        assertThat(store.switching().append(0, new byte[0])).isEqualTo(new Reply.TailEnd(1, begin));
        int half = lacking.length - 64;
        Reply.TailEnd first = store.switching().append(begin, Arrays.copyOf(lacking, half));
        assertThat(first.sequence()).as("without the end of the last one").isEqualTo(2);
        assertThat(
                        store.switching()
                                .append(begin + half, Arrays.copyOfRange(lacking, half, half + 64)))
                .isEqualTo(new Reply.TailEnd(3, other.position()));
        assertThat(store.switching().footprint())
                .as("what is brought up to date then")
                .containsExactly(new ByteRange(A, 8), new ByteRange(B, 8));
        SimulatedReplica lost = replica.crash(CrashSimulation.Loss.ALL, new Random(1));
        ReplicaStore taken = lost.start();
        assertThat(taken.ownership().takeOver(N).sequence()).as("after a power loss").isEqualTo(3);
        assertThat(lost.image.getLong(A)).isEqualTo(33);
        assertThat(lost.image.getLong(B)).isEqualTo(22);
    }

    /** A former writer's copy has the last ones' content, which the first ones alone would undo. */
    @Test
    void recordsBehindOneThatIsMissingCountOnceThatIsThere() {
        RecordWriter other = new RecordWriter(others, N).set(0, A, 11);
        long second = other.position();
        long end = other.set(1, B, 22).set(1, A, 33).position();
        prepare();
        assertThat(store.switching().append(second, bytes(second, end)))
                .isEqualTo(new Reply.TailEnd(0, 0));
        assertThat(recordsAfterAPowerLoss()).isZero();
        assertThat(store.switching().append(0, bytes(0, second)))
                .isEqualTo(new Reply.TailEnd(1, second));
        assertThat(recordsAfterAPowerLoss()).isEqualTo(3);
        assertThat(store.switching().append(end - 64, bytes(end - 64, end)))
                .isEqualTo(new Reply.TailEnd(3, end));
        assertThat(store.switching().footprint())
                .containsExactly(new ByteRange(A, 8), new ByteRange(B, 8));
    }

    private long recordsAfterAPowerLoss() {
        return replica.crash(CrashSimulation.Loss.ALL, new Random(1)).start().intake().sequence();
    }

    @Test
    void whatIsNoRecordOfTheEpochDoesNotCount() {
        byte[] foreign = bytes(0, new RecordWriter(others, L).set(0, A, 11).position());
        prepare();
        assertThat(store.switching().append(0, foreign)).isEqualTo(new Reply.TailEnd(0, 0));
        assertThat(store.switching().footprint()).isEmpty();
    }

    @Test
    void recordsComeToAPreparedCopyOnlyAndWhereThereIsRoom() {
        byte[] record = bytes(0, new RecordWriter(others, N).set(0, A, 11).position());
        assertThatThrownBy(() -> store.switching().append(0, record))
                .hasMessageContaining("not prepared");
        prepare();
        for (long position : new long[] {SimulatedReplica.RING_BYTES, Long.MAX_VALUE - 10}) {
            assertThatThrownBy(() -> store.switching().append(position, record))
                    .hasMessageContaining("do not follow the tail");
        }
        store.switching().drain(0);
        assertThatThrownBy(() -> store.switching().append(0, record))
                .hasMessageContaining("is closed");
    }

    private void prepare() {
        assertThat(store.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.CURRENT);
    }

    private byte[] bytes(long from, long to) {
        return others.asSlice(from, to - from).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The switch was recorded, and its members were not told of that any more. */
    @Test
    void whatItWasPreparedForItHasWithoutItsRecords() {
        writer.set(0, A, 11);
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(1);
        assertThat(store.switching().attach(N, N2, List.of(), 0, false))
                .isEqualTo(AttachDecision.CURRENT);
        store.switching().drain(0);
        store.switching().prepare();
        ReplicaStore taken = replica.start();
        assertThat(taken.ownership().takeOver(N2)).isEqualTo(TakenTail.NONE);
        assertThat(replica.image.getLong(A)).as("rolled back by the writer").isZero();
        assertThat(runId()).isEqualTo(N2);
        assertThat(taken.slot().cur()).isEqualTo(N2);
        assertThat(taken.slot().next()).isZero();
    }

    /** So was the switch, and a later one had begun. */
    @Test
    void soItIsWhenItWasGreetedInThatNumber() {
        writer.set(0, A, 11);
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(1);
        assertThat(store.switching().attach(N, N2, List.of(), 0, false))
                .isEqualTo(AttachDecision.CURRENT);
        store.switching().drain(0);
        store.switching().prepare();
        ReplicaStore greeted = replica.start();
        assertThat(greeted.switching().attach(N2, N3, List.of(), 0, false))
                .isEqualTo(AttachDecision.CURRENT);
        assertThat(greeted.slot().cur()).isEqualTo(N2);
        ReplicaStore taken = replica.start();
        assertThat(taken.ownership().takeOver(N2)).isEqualTo(TakenTail.NONE);
        assertThat(replica.image.getLong(A)).as("rolled back by the writer").isZero();
        assertThat(taken.slot().cur()).isEqualTo(N2);
        assertThat(taken.slot().journalEpoch()).isEqualTo(N2);
        assertThat(taken.slot().appliedSequence()).isZero();
    }

    @Test
    void aSwitchThatWasNotRecordedLeavesItTheRecordsOfTheTimeBefore() {
        writer.set(0, A, 11);
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(1);
        assertThat(store.switching().attach(N, N2, List.of(), 1, false))
                .isEqualTo(AttachDecision.CURRENT);
        ReplicaStore taken = replica.start();
        assertThat(taken.ownership().takeOver(N).sequence()).isEqualTo(1);
        assertThat(replica.image.getLong(A)).isEqualTo(11);
        assertThat(runId()).isEqualTo(N);
    }

    @Test
    void anyOtherNumberIsRefusedAndChangesNothing() {
        assertThatThrownBy(() -> store.ownership().takeOver(N2))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("can't take over with the number " + N2);
        assertThat(store.slot().state()).isEqualTo(ReplicaState.INSYNC);
    }

    /** Half a copy has no number. */
    @Test
    void soIsHalfACopy() {
        AttachDecision unused =
                store.switching().attach(4711, N2, List.of(N), SlotReport.NOT_KNOWN, false);
        store.switching().startSync();
        assertThatThrownBy(() -> store.ownership().takeOver(N))
                .hasMessageContaining("can't take over");
    }

    @Test
    void theOldWriterIsNotHeardAnyMore() {
        store.greet(7, 0);
        ReplicaStore taken = replica.start();
        taken.greet(8, 0);
        TakenTail unused = taken.ownership().takeOver(N);
        assertThatThrownBy(() -> replica.start().greet(7, 0)).hasMessageContaining("of term 8");
        assertThat(taken.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.TAKEN_OVER);
    }
}
