package io.farheap.replication.status;

import io.farheap.base.ReplicaDifference;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the program that has a pool open says of its remote replicas.
 *
 * @param pid the program's process
 * @param writtenMillis when it said so, milliseconds since 1970
 * @param epoch the pool's number then
 * @param comparedMillis when its last comparison of all remote replicas with the pool ended; 0:
 *     none has ended yet
 * @param replicas in the order of the poolset file
 */
public record ProgramStatus(
        long pid, long writtenMillis, long epoch, long comparedMillis, List<Copy> replicas) {
    public ProgramStatus {
        replicas = List.copyOf(replicas);
    }

    /**
     * {@link ReplicaStatus} in plain fields.
     *
     * @param lagMillis its lag; the fields otherwise mean what they mean there
     */
    public record Copy(
            String replica,
            ReplicaPolicy policy,
            ReplicaStatus.State state,
            long epoch,
            long sequence,
            long lagBytes,
            long lagMillis,
            long sinceMillis,
            String reason,
            String nextStep,
            List<ReplicaDifference> differences) {
        static Copy of(ReplicaStatus status) {
            return new Copy(
                    status.replica(),
                    status.policy(),
                    status.state(),
                    status.epoch(),
                    status.sequence(),
                    status.lagBytes(),
                    status.lag().toMillis(),
                    status.since().toEpochMilli(),
                    status.reason(),
                    status.nextStep(),
                    status.differences());
        }

        /** As the program's own API shows it. */
        ReplicaStatus status() {
            return new ReplicaStatus(
                    replica,
                    policy,
                    state,
                    epoch,
                    sequence,
                    lagBytes,
                    Duration.ofMillis(lagMillis),
                    Instant.ofEpochMilli(sinceMillis),
                    reason,
                    nextStep,
                    differences == null ? List.of() : differences);
        }
    }

    static ProgramStatus of(long epoch, long comparedMillis, List<ReplicaStatus> replicas) {
        return new ProgramStatus(
                ProcessHandle.current().pid(),
                System.currentTimeMillis(),
                epoch,
                comparedMillis,
                replicas.stream().map(Copy::of).toList());
    }

    /**
     * @param name as in the poolset file
     */
    public Optional<ReplicaStatus> replica(String name) {
        return replicas.stream()
                .filter(copy -> copy.replica().equals(name))
                .findFirst()
                .map(Copy::status);
    }

    /** Whether another one says the same, but later. */
    boolean saysTheSame(ProgramStatus other) {
        return other != null
                && epoch == other.epoch
                && comparedMillis == other.comparedMillis
                && replicas.equals(other.replicas);
    }
}
