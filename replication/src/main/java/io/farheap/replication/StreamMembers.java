package io.farheap.replication;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.replication.fabric.FabricCounters;
import java.util.ArrayList;
import java.util.List;

/** The members of one epoch: how far all of them are, and who keeps the others waiting. */
final class StreamMembers {
    private final ReplicaProgress[] replicas;

    /**
     * @param members at least one
     * @param ringBytes what each one's ring must have
     */
    StreamMembers(List<ReplicaLink> members, long ringBytes) {
        for (ReplicaLink member : members) {
            long bytes = member.connection().remoteBytes();
            if (bytes != ringBytes) {
                throw new FarheapException(
                        Category.REPLICA,
                        "the journal of "
                                + member.name()
                                + " has "
                                + bytes
                                + " bytes, not "
                                + ringBytes
                                + "; give all replicas journals of one size");
            }
        }
        replicas = members.stream().map(ReplicaProgress::new).toArray(ReplicaProgress[]::new);
    }

    /** All of them, in their order. */
    ReplicaProgress[] all() {
        return replicas;
    }

    ReplicaProgress named(String name) {
        for (ReplicaProgress replica : replicas) {
            if (replica.name().equals(name)) {
                return replica;
            }
        }
        throw new FarheapException(Category.WRONG_USE, name + " is no member of this epoch");
    }

    /** Whether answers are missing because a connection is lost. */
    boolean isOneLost() {
        for (ReplicaProgress replica : replicas) {
            if (replica.lost() != null) {
                return true;
            }
        }
        return false;
    }

    /** The last record that every member has durably. */
    long durableSequence() {
        long durable = Long.MAX_VALUE;
        for (ReplicaProgress replica : replicas) {
            durable = Math.min(durable, replica.durableSequence());
        }
        return durable;
    }

    /** Position up to which every member has applied durably. */
    long appliedPosition() {
        long applied = Long.MAX_VALUE;
        for (ReplicaProgress replica : replicas) {
            applied = Math.min(applied, replica.appliedPosition());
        }
        return applied;
    }

    /** One that has an answer to give, if any has: all are needed, so it is worth waiting for. */
    ReplicaProgress slowestToAnswer() {
        ReplicaProgress slowest = replicas[0];
        for (ReplicaProgress replica : replicas) {
            if (replica.answers() < slowest.answers()) {
                slowest = replica;
            }
        }
        return slowest;
    }

    /** Who keeps commits waiting: one whose connection is lost, else the slowest. */
    ReplicaProgress longestSilent() {
        for (ReplicaProgress replica : replicas) {
            if (replica.lost() != null) {
                return replica;
            }
        }
        return slowestToFlush();
    }

    ReplicaProgress slowestToFlush() {
        ReplicaProgress slowest = replicas[0];
        for (ReplicaProgress replica : replicas) {
            if (replica.durableSequence() < slowest.durableSequence()) {
                slowest = replica;
            }
        }
        return slowest;
    }

    ReplicaProgress slowestToApply() {
        ReplicaProgress slowest = replicas[0];
        for (ReplicaProgress replica : replicas) {
            if (replica.appliedSequence() < slowest.appliedSequence()) {
                slowest = replica;
            }
        }
        return slowest;
    }

    void closeConnections() {
        for (ReplicaProgress replica : replicas) {
            replica.connection().close();
        }
    }

    /** What each one's connection did so far, in their order. */
    List<FabricCounters> counters() {
        List<FabricCounters> counters = new ArrayList<>();
        for (ReplicaProgress replica : replicas) {
            counters.add(replica.counters());
        }
        return counters;
    }
}
