package io.farheap.agent.store;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.records.ImageBounds;
import io.farheap.layout.Descriptor;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;

/**
 * What is kept behind a poolset of the target, for as long as its journal is there: a pool's
 * replica, or a program's remote memory, whose bytes mean nothing here and of which nothing is ever
 * rolled back. All that differs between the two for the image and its records is said here.
 */
public enum ImageKind {
    REPLICA {
        @Override
        public ImageBounds bounds(long imageBytes) {
            return new ImageBounds(Descriptor.DEFAULT_HEAP_OFFSET, imageBytes);
        }

        @Override
        public boolean hasRecords(ReplicaState state) {
            return state == ReplicaState.INSYNC;
        }

        @Override
        boolean takesRecords(ReplicaSlot slot) {
            return slot.state() == ReplicaState.INSYNC && slot.next() == 0;
        }

        @Override
        long applicable(long committed) {
            return committed;
        }

        @Override
        boolean isReadWithAllRecords() {
            return false;
        }

        @Override
        public boolean isPool() {
            return true;
        }

        @Override
        public boolean isUnused(ReplicaState state, boolean answered) {
            return state == ReplicaState.NEW;
        }

        @Override
        Refusal otherKind() {
            return new Refusal(
                    Code.WRONG_POOL,
                    "What the target has by this name is a program's remote memory, no replica.",
                    "Name another poolset in the REPLICA line.");
        }
    },

    REMOTE_MEMORY {
        @Override
        public ImageBounds bounds(long imageBytes) {
            return ImageBounds.ofMemory(imageBytes);
        }

        @Override
        public boolean hasRecords(ReplicaState state) {
            return true;
        }

        @Override
        boolean takesRecords(ReplicaSlot slot) {
            return true;
        }

        @Override
        long applicable(long committed) {
            return Long.MAX_VALUE;
        }

        @Override
        boolean isReadWithAllRecords() {
            return true;
        }

        @Override
        public boolean isPool() {
            return false;
        }

        @Override
        public boolean isUnused(ReplicaState state, boolean answered) {
            return !answered;
        }

        @Override
        Refusal otherKind() {
            return new Refusal(
                    Code.WRONG_POOL,
                    "What the target has by this name is a pool's replica, no program's memory.",
                    "Name another poolset of the target.");
        }
    };

    /** What is kept where the slot has this state. */
    public static ImageKind of(ReplicaState state) {
        return state == ReplicaState.MEMORY ? REMOTE_MEMORY : REPLICA;
    }

    /** What is kept where the journal has this slot. */
    public static ImageKind of(ReplicaSlot slot) {
        return of(slot.state());
    }

    /** What somebody comes for who has this purpose. */
    public static ImageKind of(Purpose purpose) {
        return purpose.isMemory() ? REMOTE_MEMORY : REPLICA;
    }

    /** Which bytes records may change. */
    public abstract ImageBounds bounds(long imageBytes);

    /** Whether the journal of one in that state may have records for the image. */
    public abstract boolean hasRecords(ReplicaState state);

    /** Whether records that come now are for the image as it is. */
    abstract boolean takesRecords(ReplicaSlot slot);

    /** Up to which record the image may be brought, where the initiator has told of that one. */
    abstract long applicable(long committed);

    /** Whether who reads the image is to see every durable record. */
    abstract boolean isReadWithAllRecords();

    /** Whether the image has a pool's descriptor, and may be opened on the target. */
    public abstract boolean isPool();

    /**
     * Whether nobody can have stored anything in what this session has created.
     *
     * @param answered who asked for it was told that it is there
     */
    public abstract boolean isUnused(ReplicaState state, boolean answered);

    abstract Refusal otherKind();

    /**
     * Nothing that is ordered for the one is ever done to the other.
     *
     * @throws Refusal WRONG_POOL where the slot is the other kind's
     */
    public void require(ReplicaSlot slot) {
        if (of(slot) != this) {
            throw otherKind();
        }
    }
}
