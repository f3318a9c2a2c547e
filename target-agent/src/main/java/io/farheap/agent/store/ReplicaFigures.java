package io.farheap.agent.store;

import io.farheap.agent.records.RecordIntake;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.util.Optional;

/**
 * How a replica stands, in figures.
 *
 * @param state what the replica is
 * @param epoch the number that it has
 * @param progress what its session has brought; empty where no session has it
 */
public record ReplicaFigures(ReplicaState state, long epoch, Optional<Progress> progress) {
    /**
     * Of the epoch's records.
     *
     * @param received the last record that is durable in the journal
     * @param receivedBytes where that record ends in the stream of records
     * @param applied the last one that is durable in the image
     * @param appliedBytes where that one ends
     * @param journalBytes how many bytes of the stream the journal holds
     */
    public record Progress(
            long received, long receivedBytes, long applied, long appliedBytes, long journalBytes) {
        /** How many durable records the image does not have yet. */
        public long unapplied() {
            return Math.max(0, received - applied);
        }

        /** How many bytes of the journal those records occupy. */
        public long usedBytes() {
            return Math.max(0, receivedBytes - appliedBytes);
        }
    }

    /** Of a replica that a session has. Waits for nobody; also after its files were closed. */
    static ReplicaFigures of(ReplicaSlot slot, RecordIntake intake, long journalBytes) {
        return new ReplicaFigures(
                slot.state(),
                slot.cur(),
                Optional.of(
                        new Progress(
                                intake.sequence(),
                                intake.position(),
                                slot.appliedSequence(),
                                slot.appliedPosition(),
                                journalBytes)));
    }

    /** Of a replica that no session has. */
    public static ReplicaFigures of(ReplicaSlot slot) {
        return new ReplicaFigures(slot.state(), slot.cur(), Optional.empty());
    }
}
