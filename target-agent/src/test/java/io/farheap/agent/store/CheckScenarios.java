package io.farheap.agent.store;

import static io.farheap.agent.store.SimulatedReplica.HEAP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.records.RecordWriter;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.SlotLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** What must hold of a replica, one method for each check that upholds it. */
public final class CheckScenarios {
    private static final long N = ReplicaLife.EPOCH;
    private static final long A = HEAP + 4096;

    private CheckScenarios() {}

    private static ReplicaStore resumed(SimulatedReplica replica) {
        ReplicaStore store = replica.start();
        assertThat(store.resume(N)).isEqualTo(AttachDecision.CURRENT);
        return store;
    }

    private static void assertRefuses(Runnable step) {
        assertThatThrownBy(step::run).isInstanceOf(FarheapException.class);
    }

    /** Commits, switches and power losses at every step. */
    public static void everyCrashIsSurvived() {
        try (ReplicaLife life = ReplicaLife.ofMember(ReplicaLife.member(), 1, 4, () -> false)) {
            life.lifeOfCommits();
        }
    }

    /** The records of the epoch before stand where those of the new one will. */
    public static void recordsOfAnotherEpochDoNotCount() {
        SimulatedReplica replica = ReplicaLife.member();
        ReplicaStore store = resumed(replica);
        RecordWriter writer = new RecordWriter(store.intake().ring(), N).set(0, A, 11);
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(1);
        store = replica.start();
        assertThat(store.switching().attach(N, N + 1000, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.CURRENT);
        store.switching().drain(0); // rolled back
        store.switching().prepare();
        store.switching().confirm(N + 1000, false);
        assertThat(replica.start().ownership().promote()).isZero();
        assertThat(replica.image.getLong(A)).isZero();
    }

    /** The records of the lap before stand behind the last one. */
    public static void recordsOfAnotherLapDoNotCount() {
        SimulatedReplica replica = ReplicaLife.member();
        ReplicaStore store = resumed(replica);
        RecordWriter writer = new RecordWriter(store.intake().ring(), N);
        writer.set(0, A, 1).set(1, A, 2).empty(2).fillTheLap(2);
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(writer.sequence());
        while (store.applyBatch() > 0) {
            assertThat(store.slot().appliedSequence()).isPositive();
        }
        writer.set(writer.sequence(), A, 3);
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(writer.sequence());
        assertThat(replica.start().ownership().promote()).isEqualTo(1);
        assertThat(replica.image.getLong(A)).isEqualTo(3);
    }

    public static void noDamagedBitOfARecordIsApplied() {
        SimulatedReplica replica = ReplicaLife.member();
        RecordWriter writer = new RecordWriter(resumed(replica).intake().ring(), N).set(0, A, 11);
        for (long bit = 0; bit < 8 * writer.position(); bit += 5) {
            SimulatedReplica damaged = replica.copy();
            flip(damaged.journal.image(), 8 * JournalLayout.RING + bit);
            assertThat(damaged.start().ownership().promote()).as("bit %s", bit).isZero();
        }
    }

    /** One damaged copy of the slot is no state: the other one counts. */
    public static void noDamagedBitOfASlotCounts() {
        SimulatedReplica replica = ReplicaLife.member();
        ReplicaSlot newest = replica.start().slot();
        MemorySegment journal = replica.journal.image();
        long at = SlotLayout.offsetFor(newest.generation());
        for (long bit = 8 * at; bit < 8 * (at + SlotLayout.BYTES); bit++) {
            flip(journal, bit);
            assertThat(SlotLayout.read(journal, "slot").generation())
                    .as("bit %s", bit - 8 * at)
                    .isEqualTo(newest.generation() - 1);
            flip(journal, bit);
        }
    }

    public static void noDamagedBitOfTheHeaderIsAccepted() {
        SimulatedReplica replica = ReplicaLife.member();
        MemorySegment journal = replica.journal.image();
        for (long bit = 0; bit < 8 * 40; bit++) {
            flip(journal, bit);
            assertRefuses(() -> JournalLayout.readPoolsetUuid(journal, "journal"));
            flip(journal, bit);
        }
    }

    private static void flip(MemorySegment memory, long bit) {
        byte old = memory.get(ValueLayout.JAVA_BYTE, bit / 8);
        memory.set(ValueLayout.JAVA_BYTE, bit / 8, (byte) (old ^ (1 << (bit % 8))));
    }

    /** A pool with another number has another history. */
    public static void aStrangerIsNotRecognised() {
        ReplicaStore store = ReplicaLife.member().start();
        assertThat(
                        store.switching()
                                .attach(N + 2, N + 1000, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.NOT_COMPARABLE);
        assertThat(store.slot().cur()).isEqualTo(N);
    }

    /** Somebody else was prepared in between: the first one's switch is void. */
    public static void onlyTheOnePreparedForIsConfirmed() {
        SimulatedReplica replica = ReplicaLife.member();
        ReplicaStore store = replica.start();
        assertThat(store.switching().attach(N, N + 1000, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.CURRENT);
        ReplicaStore others = replica.start();
        assertThat(others.switching().attach(N, N + 2000, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.CURRENT);
        others.switching().prepare();
        assertRefuses(() -> others.switching().confirm(N + 1000, false));
    }

    /** A number that was used here before would make a replica that missed something current. */
    public static void aNumberIsUsedOnce() {
        ReplicaStore store = ReplicaLife.member().start();
        for (long used : new long[] {0, N, N + 1}) {
            assertRefuses(
                    () ->
                            store.switching()
                                    .attach(N, used, List.of(), SlotReport.NOT_KNOWN, false));
        }
    }

    /** A program that opened the files on the target has left its number there. */
    public static void aReplicaThatWasOpenedIsNotRecognised() {
        SimulatedReplica replica = ReplicaLife.member();
        replica.image.putLong(Descriptor.RUN_ID, 2);
        assertThat(
                        replica.start()
                                .switching()
                                .attach(N, N + 1000, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.OPENED_ON_TARGET);
    }

    /** What the replica does not have it can't apply; that it passed an empty record is no harm. */
    public static void itDrainsToARecordThatItHas() {
        SimulatedReplica replica = ReplicaLife.member();
        ReplicaStore before = resumed(replica);
        RecordWriter writer = new RecordWriter(before.intake().ring(), N).set(0, A, 11).empty(1);
        assertThat(before.intake().flush(0, writer.position())).isEqualTo(2);
        assertThat(before.applyBatch()).isEqualTo(2);
        ReplicaStore store = replica.start();
        assertThat(store.switching().attach(N, N + 1000, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.CURRENT);
        assertRefuses(() -> store.switching().drain(3));
        store.switching().drain(1);
        assertThat(store.switching().footprint()).isEmpty();
    }

    /** A batch that begins behind the tail's end would leave records out. */
    public static void aGapInTheStreamIsRefused() {
        ReplicaStore store = resumed(ReplicaLife.member());
        RecordWriter writer = new RecordWriter(store.intake().ring(), N).set(0, A, 1).set(0, A, 2);
        assertRefuses(() -> store.intake().flush(64, writer.position()));
    }
}
