package io.farheap.replication;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.replication.fabric.CompletionHandler;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.MemorySegment;

/**
 * How far one replica is, by its own answers. Answers are taken by one polling thread at a time;
 * every thread may read.
 */
final class ReplicaProgress implements CompletionHandler {
    private final String name;
    private final Connection connection;

    private volatile long durableSequence;
    private volatile long appliedSequence;
    private volatile long appliedPosition;
    private volatile long answers;

    /** What was posted, which no answer may exceed; written before its doorbell. */
    private volatile long postedSequence;

    private volatile long postedPosition;

    ReplicaProgress(ReplicaLink link) {
        this.name = link.name();
        this.connection = link.connection();
    }

    @Override
    public void received(MemorySegment memory, long offset, int length) {
        int kind = JournalMessages.check(memory, offset, length);
        if (kind == JournalMessages.REFUSED) {
            throw fault("refuses: " + JournalMessages.refusal(memory, offset, length));
        }
        if (kind != JournalMessages.DURABLE) {
            throw fault("answers a commit with a message of kind " + kind);
        }
        long durable = JournalMessages.durableSequence(memory, offset);
        long applied = JournalMessages.appliedSequence(memory, offset);
        long position = JournalMessages.appliedPosition(memory, offset);
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
    }

    private FarheapException fault(String what) {
        return new FarheapException(Category.REPLICA, "the replica " + name + " " + what);
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
        return connection;
    }

    long durableSequence() {
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
