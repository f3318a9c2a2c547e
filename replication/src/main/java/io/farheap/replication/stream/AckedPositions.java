package io.farheap.replication.stream;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.FabricCounters;
import java.lang.foreign.MemorySegment;

/**
 * How far one replica is, by its own answers. Answers are taken by one polling thread at a time;
 * every thread may read. Its connection may be lost, and another one follow in its place: no answer
 * of the lost one counts from then on.
 */
public final class AckedPositions implements CompletionHandler {
    private final String name;
    private final long epoch;
    private volatile StreamMember link;
    private volatile DurabilityPoint point;

    /** Why the connection is lost; null while it is not. */
    private volatile FarheapException lost;

    /** Since when no answer has proven anything, though connections were lost; 0: it is not so. */
    private volatile long troubledSince;

    /** It does not keep to the rules: another connection would not help. */
    private volatile boolean atFault;

    /** What earlier connections did. */
    private FabricCounters earlier = new FabricCounters(0, 0, 0, 0, 0);

    private volatile long durableSequence;
    private volatile long appliedSequence;
    private volatile long appliedPosition;
    private volatile long answers;

    /** What was posted, which no answer may exceed; written before its doorbell. */
    private volatile long postedSequence;

    private volatile long postedPosition;

    AckedPositions(StreamMember link, long epoch) {
        this.name = link.name();
        this.epoch = epoch;
        this.link = link;
        this.point = DurabilityPoint.of(this, link, epoch);
    }

    @Override
    public void received(MemorySegment memory, long offset, int length) {
        point.received(memory, offset, length);
    }

    @Override
    public void readDone(long localOffset, int length) {
        point.readDone(localOffset, length);
    }

    /** A durability point was answered: what it proves. */
    void answered(long durable, long applied, long position) {
        if (durable < durableSequence || durable > postedSequence) {
            throw fault("claims to have record " + durable + " of " + postedSequence);
        }
        if (applied < appliedSequence
                || applied > durable
                || position < appliedPosition
                || position > postedPosition) {
            throw fault("claims to have applied record " + applied + " of " + durable);
        }
        durableSequence = durable;
        appliedSequence = applied;
        appliedPosition = position;
        answers = answers() + 1;
        if (troubledSince != 0) {
            troubledSince = 0;
        }
    }

    /** It does not keep to the rules. */
    FarheapException fault(String what) {
        return fault(FarheapException.replica("the replica %s %s", name, what));
    }

    /** The same, by what was thrown over it. */
    FarheapException fault(FarheapException why) {
        atFault = true;
        return why;
    }

    /** Called before the doorbell for everything up to there. */
    void posting(long sequence, long position) {
        postedSequence = sequence;
        postedPosition = position;
    }

    String name() {
        return name;
    }

    Connection connection() {
        return link.connection();
    }

    /** How the connection in use proves what is durable. */
    DurabilityPoint point() {
        return point;
    }

    StreamMember link() {
        return link;
    }

    /** Why its connection is lost; null while it is not. */
    FarheapException lost() {
        return lost;
    }

    boolean isAtFault() {
        return atFault;
    }

    /**
     * A connection broke.
     *
     * @return since when nothing was proven; 0 when it is no news of the connection in use. An
     *     answer that is being taken at the same time may end that by itself: it is not asked again
     */
    synchronized long lose(Connection broken, FarheapException why) {
        if (broken != connection() || lost != null) {
            return 0;
        }
        long since = troubledSince;
        if (since == 0) {
            since = System.nanoTime() | 1;
            troubledSince = since;
        }
        lost = why;
        return since;
    }

    /**
     * Goes on with another connection, which has still to prove what is durable.
     *
     * @param answered how many durability points count as answered
     */
    synchronized void resume(StreamMember fresh, long answered) {
        earlier = counters();
        point = DurabilityPoint.of(this, fresh, epoch);
        link = fresh;
        answers = answered;
        lost = null;
    }

    /** What its connections did. */
    synchronized FabricCounters counters() {
        FabricCounters now = connection().counters();
        return new FabricCounters(
                earlier.workRequests() + now.workRequests(),
                earlier.doorbells() + now.doorbells(),
                earlier.completions() + now.completions(),
                earlier.waits() + now.waits(),
                earlier.bytes() + now.bytes());
    }

    /** The last record that was posted to it. */
    long postedSequence() {
        return postedSequence;
    }

    public long durableSequence() {
        return durableSequence;
    }

    long appliedSequence() {
        return appliedSequence;
    }

    long appliedPosition() {
        return appliedPosition;
    }

    /** How many durability points were answered. */
    long answers() {
        return answers;
    }
}
