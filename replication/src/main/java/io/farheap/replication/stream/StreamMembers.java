package io.farheap.replication.stream;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.FabricCounters;
import java.util.ArrayList;
import java.util.List;

/**
 * The members of one epoch: those that commits wait for, how far all of them are, and who keeps the
 * others waiting; and those that get the same records and may lag.
 */
final class StreamMembers {
    private final AckedPositions[] waitedFor;
    private final AckedPositions[] lagging;
    private final AckedPositions[] all;

    /**
     * @param members at least one
     * @param ringBytes what each one's ring must have
     * @param epoch which all have confirmed
     */
    StreamMembers(List<StreamMember> members, long ringBytes, long epoch) {
        for (StreamMember member : members) {
            long bytes = member.connection().remoteBytes();
            if (bytes != ringBytes) {
                throw FarheapException.replica(
                        "the journal of %s has %s bytes, not %s; give all replicas journals of"
                                + " one size",
                        member.name(), bytes, ringBytes);
            }
        }
        waitedFor = progressOf(members, epoch, false);
        lagging = progressOf(members, epoch, true);
        List<AckedPositions> both = new ArrayList<>(List.of(waitedFor));
        both.addAll(List.of(lagging));
        all = both.toArray(AckedPositions[]::new);
    }

    private static AckedPositions[] progressOf(
            List<StreamMember> members, long epoch, boolean async) {
        return members.stream()
                .filter(member -> member.async() == async)
                .map(member -> new AckedPositions(member, epoch))
                .toArray(AckedPositions[]::new);
    }

    /** Those that every commit waits for, in their order. */
    AckedPositions[] waitedFor() {
        return waitedFor;
    }

    /** Those that none waits for. */
    AckedPositions[] lagging() {
        return lagging;
    }

    /** Whether a commit waits for anybody. */
    boolean areWaitedFor() {
        return waitedFor.length > 0;
    }

    AckedPositions named(String name) {
        for (AckedPositions replica : all) {
            if (replica.name().equals(name)) {
                return replica;
            }
        }
        throw FarheapException.wrongUse("%s is no member of this epoch", name);
    }

    /** Whether answers are missing because a connection is lost. */
    boolean isOneLost() {
        for (AckedPositions replica : waitedFor) {
            if (replica.lost() != null) {
                return true;
            }
        }
        return false;
    }

    /** The last record that every member has durably that is waited for; 0 when none is. */
    long durableSequence() {
        long durable = areWaitedFor() ? Long.MAX_VALUE : 0;
        for (AckedPositions replica : waitedFor) {
            durable = Math.min(durable, replica.durableSequence());
        }
        return durable;
    }

    /** The last record that every member has durably that may lag. */
    long durableOnLagging() {
        long durable = Long.MAX_VALUE;
        for (AckedPositions replica : lagging) {
            durable = Math.min(durable, replica.durableSequence());
        }
        return durable;
    }

    /** Position up to which every member has applied durably. */
    long appliedPosition() {
        long applied = Long.MAX_VALUE;
        for (AckedPositions replica : all) {
            applied = Math.min(applied, replica.appliedPosition());
        }
        return applied;
    }

    /** One that has an answer to give, if any has: all are needed, so it is worth waiting for. */
    AckedPositions slowestToAnswer() {
        AckedPositions slowest = waitedFor[0];
        for (AckedPositions replica : waitedFor) {
            if (replica.answers() < slowest.answers()) {
                slowest = replica;
            }
        }
        return slowest;
    }

    /** Who keeps commits waiting: one whose connection is lost, else the slowest. */
    AckedPositions longestSilent() {
        for (AckedPositions replica : waitedFor) {
            if (replica.lost() != null) {
                return replica;
            }
        }
        return slowestToFlush();
    }

    AckedPositions slowestToFlush() {
        AckedPositions slowest = all[0];
        for (AckedPositions replica : waitedFor) {
            if (replica.durableSequence() < slowest.durableSequence()) {
                slowest = replica;
            }
        }
        return slowest;
    }

    AckedPositions slowestToApply() {
        AckedPositions slowest = all[0];
        for (AckedPositions replica : all) {
            if (replica.appliedSequence() < slowest.appliedSequence()) {
                slowest = replica;
            }
        }
        return slowest;
    }

    /** Of those that are waited for. */
    void closeConnections() {
        for (AckedPositions replica : waitedFor) {
            replica.connection().close();
        }
    }

    void closeAllConnections() {
        for (AckedPositions replica : all) {
            replica.connection().close();
        }
    }

    /** What each one's connection did so far. */
    List<FabricCounters> counters() {
        List<FabricCounters> counters = new ArrayList<>();
        for (AckedPositions replica : all) {
            counters.add(replica.counters());
        }
        return counters;
    }
}
