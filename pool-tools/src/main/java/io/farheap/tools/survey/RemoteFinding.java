package io.farheap.tools.survey;

import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import java.lang.foreign.MemorySegment;

/**
 * A remote replica as it was found.
 *
 * @param number its place in the poolset file, all replicas counted
 * @param index its place among the remote ones
 * @param replica the replica
 * @param report what its agent says
 */
public record RemoteFinding(int number, int index, RemoteReplica replica, ReplicaReport report) {

    /** How it is called in messages. */
    public String name() {
        return "replica " + number + " (" + replica + ")";
    }

    /** The target has no files of it. */
    public boolean isAbsent() {
        return report.slot() == null && report.faults().isEmpty();
    }

    /** There are files, but nothing says what they are. */
    public boolean isUnreadable() {
        return report.slot() == null && !report.faults().isEmpty();
    }

    /** There is content that may be newer than anybody else's. */
    public boolean hasContent() {
        return isUnreadable() || isComplete();
    }

    /** Image and tail hold every commit of an epoch, as far as the files are sound. */
    public boolean isComplete() {
        return hasState(ReplicaState.INSYNC) || hasState(ReplicaState.PROMOTED);
    }

    public boolean hasState(ReplicaState state) {
        return report.slot() != null && report.slot().state() == state;
    }

    /** It can be restored from. */
    public boolean isUsable() {
        return isComplete() && report.faults().isEmpty() && !report.slot().foreignOpen();
    }

    public boolean isHeld() {
        return !report.holder().isEmpty();
    }

    /** The number of the epoch whose commits it has. */
    long epoch() {
        SlotReport slot = report.slot();
        return slot.state() == ReplicaState.PROMOTED ? slot.journalEpoch() : slot.cur();
    }

    /** Whether everything acknowledged that {@code other} has is here too, as numbers can prove. */
    public boolean contains(RemoteFinding other) {
        if (!isComplete() || !other.isComplete() || other.report().slot().foreignOpen()) {
            return false;
        }
        long next = other.report().slot().next();
        boolean ownLife = other.hasState(ReplicaState.PROMOTED);
        boolean same = epoch() == other.epoch() || (next != 0 && next == epoch());
        return !ownLife && same && (!mayLag() || hasRecordsOf(other));
    }

    /** Whether the last commits that returned may be missing: nobody waited for this replica. */
    public boolean mayLag() {
        return report.slot().mayLag();
    }

    /** The highest of a writer under automatic fail-over that it has heard; 0: none. */
    public long term() {
        return report.slot() == null ? 0 : report.slot().term();
    }

    private boolean hasRecordsOf(RemoteFinding other) {
        SlotReport slot = report.slot();
        SlotReport others = other.report().slot();
        return slot.journalEpoch() == others.journalEpoch()
                && slot.lastSequence() >= others.lastSequence();
    }

    /** Whether a pool with the number {@code run} has no more than this replica. */
    public boolean continues(long run) {
        SlotReport slot = report.slot();
        return run == slot.cur() || run == slot.next() || run == epoch();
    }

    /** The header page of its first part, or null where there is none. */
    public PoolHeader header() {
        return report.header().length() == 0
                ? null
                : new PoolHeader(MemorySegment.ofArray(report.header().toByteArray()));
    }

    /** The pool it belongs to, or null where that can't be read. */
    public PoolUuid poolsetUuid() {
        PoolHeader header = header();
        return header == null || !header.hasSignature() ? null : header.poolsetUuid();
    }
}
