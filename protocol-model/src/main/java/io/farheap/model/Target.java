package io.farheap.model;

import java.util.Arrays;

/** A replica on its target: what is durable, what only a process crash survives, what is late. */
final class Target {
    static final int NEW = 0;
    static final int INSYNC = 1;
    static final int SYNCING = 2;
    static final int PROMOTED = 3;

    // Durable: the slot, the image, the journal.
    int state;
    int cur;
    int next;
    int journalEpoch;
    int applied;
    final int[] image = new int[World.WORDS];
    final Place[] journal = Place.some();

    // What the agent and the kernel have stored, flushed or not.
    final int[] stored = new int[World.WORDS];
    final Place[] arrived = Place.some();
    int appliedStored;
    int watermark;

    /** A record of a dead connection that may still arrive, and where; 0: none. */
    final Place late = new Place();

    int latePlace;

    // For judging: another initiator wrote; what was applied, acknowledged while it was a member,
    // and is in it since its promotion.
    int foreign;
    int contained;
    int acknowledged;
    int promotedWith;

    /** A place of the journal: a record, or nothing valid (epoch 0). */
    static final class Place {
        int epoch;
        int sequence;
        int transaction;

        static Place[] some() {
            Place[] places = new Place[World.SLOTS];
            Arrays.setAll(places, i -> new Place());
            return places;
        }

        void set(int newEpoch, int newSequence, int newTransaction) {
            epoch = newEpoch;
            sequence = newSequence;
            transaction = newTransaction;
        }

        void copy(Place other) {
            set(other.epoch, other.sequence, other.transaction);
        }

        boolean isEqual(Place other) {
            return epoch == other.epoch
                    && sequence == other.sequence
                    && transaction == other.transaction;
        }

        void fields(Bits bits, int numberBits) {
            epoch = bits.field(epoch, numberBits);
            sequence = bits.field(sequence, 3);
            transaction = bits.field(transaction, 3);
        }
    }

    void fields(Bits bits, int numberBits) {
        state = bits.field(state, 2);
        cur = bits.field(cur, numberBits);
        next = bits.field(next, numberBits);
        journalEpoch = bits.field(journalEpoch, numberBits);
        applied = bits.field(applied, 3);
        bits.fields(image, 3);
        bits.fields(stored, 3);
        for (int i = 0; i < World.SLOTS; i++) {
            journal[i].fields(bits, numberBits);
            arrived[i].fields(bits, numberBits);
        }
        appliedStored = bits.field(appliedStored, 3);
        watermark = bits.field(watermark, 3);
        late.fields(bits, numberBits);
        latePlace = bits.field(latePlace, 2);
        foreign = bits.field(foreign, 1);
        contained = bits.field(contained, 5);
        acknowledged = bits.field(acknowledged, 5);
        promotedWith = bits.field(promotedWith, 5);
    }

    void copy(Target other) {
        state = other.state;
        cur = other.cur;
        next = other.next;
        journalEpoch = other.journalEpoch;
        applied = other.applied;
        for (int i = 0; i < World.SLOTS; i++) {
            journal[i].copy(other.journal[i]);
            arrived[i].copy(other.arrived[i]);
        }
        System.arraycopy(other.image, 0, image, 0, World.WORDS);
        System.arraycopy(other.stored, 0, stored, 0, World.WORDS);
        appliedStored = other.appliedStored;
        watermark = other.watermark;
        late.copy(other.late);
        latePlace = other.latePlace;
        foreign = other.foreign;
        contained = other.contained;
        acknowledged = other.acknowledged;
        promotedWith = other.promotedWith;
    }

    boolean isJournalFlushed() {
        for (int i = 0; i < World.SLOTS; i++) {
            if (!journal[i].isEqual(arrived[i])) {
                return false;
            }
        }
        return true;
    }

    void flushJournal() {
        for (int i = 0; i < World.SLOTS; i++) {
            journal[i].copy(arrived[i]);
        }
    }

    void flushImage() {
        System.arraycopy(stored, 0, image, 0, World.WORDS);
    }

    /** Old records fail by their epoch. */
    void emptyJournal() {
        applied = appliedStored = watermark = 0;
    }

    void clearPlaces() {
        for (int i = 0; i < World.SLOTS; i++) {
            journal[i].set(0, 0, 0);
            arrived[i].set(0, 0, 0);
        }
    }

    /** No connection from before can store any more. */
    void endOldConnection() {
        late.set(0, 0, 0);
        latePlace = 0;
    }

    /** What a process crash or a loss of power takes from the agent. */
    void restart() {
        appliedStored = applied;
        watermark = 0;
    }

    Place arrivedAt(int sequence) {
        return arrived[(sequence - 1) % World.SLOTS];
    }
}
