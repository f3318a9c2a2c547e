package io.farheap.model;

import java.util.Arrays;

/**
 * One state of everything: the program with its pool, the targets, what is on its way, and, for
 * judging, what the outside was told ({@link ObservedHistory}). Plain fields; {@link #fields} lists
 * them once for packing.
 */
final class World {
    /** Words of the pool: X and Y have a last writer, B is a bitmap changed by OR and AND. */
    static final int X = 0;

    static final int Y = 1;
    static final int B = 2;
    static final int WORDS = 3;
    static final int ALL_WORDS = 7;

    /** Places in a journal. */
    static final int SLOTS = 3;

    /** Records of one epoch. */
    static final int MOST_RECORDS = 6;

    /** What a program that ignores replicas, and a second initiator, write. */
    static final int FOREIGN_TRANSACTION = 5;

    static final int FOREIGN_VALUE = 6;

    // What the program does.
    static final int DOWN = 0;
    static final int RECOVERING = 1;
    static final int SWITCHING = 2;
    static final int RUNNING = 3;
    static final int BROKEN = 4;
    static final int SHRINKING = 5;
    static final int JOINING = 6;
    static final int REFUSED = 7;
    static final int FAILBACK = 8;

    private static final int NUMBER_BITS = 5;
    private static final int[] FOOTPRINT = {0, 1 | 4, 1 | 2 | 4, 2 | 4, 1 | 4, 1};

    final int replicas;
    int phase;
    final int[] seen = new int[WORDS];
    final int[] medium = new int[WORDS];

    /** The pool's run_id, L. */
    int number;

    final Committer[] committers = {new Committer(), new Committer()};

    // The stream and the switch, in the program's memory.
    int epoch;
    int next;
    int members;
    int wanted;
    int prepared;
    int confirmed;
    int switched;
    int inRun;
    int lastRecord;
    int committed;
    int drained;
    int drainedEpoch;
    int oldNumber;
    int mapsWritten;
    final int[] staged = new int[MOST_RECORDS];

    /** Numbers up to here were given out. */
    int fresh;

    final Link[] links;
    final Target[] targets;
    final Map[] maps;
    final ObservedHistory history = new ObservedHistory();
    final int[] left = new int[Bounds.Fault.values().length];
    int leftInAll;

    World(int replicas) {
        this.replicas = replicas;
        this.links = new Link[replicas];
        this.targets = new Target[replicas];
        this.maps = new Map[replicas];
        for (int r = 0; r < replicas; r++) {
            links[r] = new Link();
            targets[r] = new Target();
            maps[r] = new Map();
        }
    }

    /** A thread with its transaction and its lane. */
    static final class Committer {
        // Where it is; the numbers are the steps of a commit.
        static final int IDLE = 0;
        static final int OPEN = 1;
        static final int CLAIMED = 2;
        static final int FLUSHED = 3;
        static final int BUMPED = 4;
        static final int COMMITTED = 5;
        static final int REDONE = 6;

        // The lane's durable state.
        static final int NO_LOG = 0;
        static final int UNDO = 1;
        static final int BUMP_UNFENCED = 2;
        static final int REDO = 3;

        int at;
        int transaction;
        int sequence;
        int again;
        int begun;
        int lane;
        int oldX;
        int oldY;
        int stored;

        void fields(Bits bits) {
            at = bits.field(at, 3);
            transaction = bits.field(transaction, 3);
            sequence = bits.field(sequence, 3);
            again = bits.field(again, 1);
            begun = bits.field(begun, 2);
            lane = bits.field(lane, 2);
            oldX = bits.field(oldX, 3);
            oldY = bits.field(oldY, 3);
            stored = bits.field(stored, 1);
        }

        void copy(Committer other) {
            at = other.at;
            transaction = other.transaction;
            sequence = other.sequence;
            again = other.again;
            begun = other.begun;
            lane = other.lane;
            oldX = other.oldX;
            oldY = other.oldY;
            stored = other.stored;
        }

        void reset() {
            int kept = begun;
            copy(new Committer());
            begun = kept;
        }
    }

    /** What the program knows of a replica. */
    static final class Link {
        /** Bits of {@link #need} above the words: content is on its way. */
        static final int COPYING = 0x20;

        static final int ONLINE = 0x40;
        static final int JOINER = 0x80;

        int connected;
        int sent;
        int durable;
        int applied;

        /** Words that must go there, and how. */
        int need;

        void fields(Bits bits) {
            connected = bits.field(connected, 1);
            sent = bits.field(sent, 3);
            durable = bits.field(durable, 3);
            applied = bits.field(applied, 3);
            need = bits.field(need, 8);
        }

        void copy(Link other) {
            connected = other.connected;
            sent = other.sent;
            durable = other.durable;
            applied = other.applied;
            need = other.need;
        }

        void reset() {
            connected = sent = durable = applied = need = 0;
        }
    }

    /** A replica's dirty map, durable at the program. */
    static final class Map {
        int base;
        int stamp;
        int pending;
        int words;

        void fields(Bits bits) {
            base = bits.field(base, NUMBER_BITS);
            stamp = bits.field(stamp, NUMBER_BITS);
            pending = bits.field(pending, NUMBER_BITS);
            words = bits.field(words, WORDS);
        }

        void copy(Map other) {
            base = other.base;
            stamp = other.stamp;
            pending = other.pending;
            words = other.words;
        }

        void reset() {
            base = stamp = pending = words = 0;
        }
    }

    void fields(Bits bits) {
        phase = bits.field(phase, 4);
        bits.fields(seen, 3);
        bits.fields(medium, 3);
        number = bits.field(number, NUMBER_BITS);
        for (Committer committer : committers) {
            committer.fields(bits);
        }
        epoch = bits.field(epoch, NUMBER_BITS);
        next = bits.field(next, NUMBER_BITS);
        members = bits.field(members, 2);
        wanted = bits.field(wanted, 2);
        prepared = bits.field(prepared, 2);
        confirmed = bits.field(confirmed, 2);
        switched = bits.field(switched, 1);
        inRun = bits.field(inRun, 1);
        lastRecord = bits.field(lastRecord, 3);
        committed = bits.field(committed, MOST_RECORDS + 1);
        drained = bits.field(drained, 3);
        drainedEpoch = bits.field(drainedEpoch, NUMBER_BITS);
        oldNumber = bits.field(oldNumber, NUMBER_BITS);
        mapsWritten = bits.field(mapsWritten, 1);
        bits.fields(staged, 3);
        fresh = bits.field(fresh, NUMBER_BITS);
        for (int r = 0; r < replicas; r++) {
            links[r].fields(bits);
            targets[r].fields(bits, NUMBER_BITS);
            maps[r].fields(bits);
        }
        history.fields(bits);
        bits.fields(left, 3);
        leftInAll = bits.field(leftInAll, 3);
    }

    void copy(World other) {
        phase = other.phase;
        System.arraycopy(other.seen, 0, seen, 0, WORDS);
        System.arraycopy(other.medium, 0, medium, 0, WORDS);
        number = other.number;
        committers[0].copy(other.committers[0]);
        committers[1].copy(other.committers[1]);
        epoch = other.epoch;
        next = other.next;
        members = other.members;
        wanted = other.wanted;
        prepared = other.prepared;
        confirmed = other.confirmed;
        switched = other.switched;
        inRun = other.inRun;
        lastRecord = other.lastRecord;
        committed = other.committed;
        drained = other.drained;
        drainedEpoch = other.drainedEpoch;
        oldNumber = other.oldNumber;
        mapsWritten = other.mapsWritten;
        System.arraycopy(other.staged, 0, staged, 0, MOST_RECORDS);
        fresh = other.fresh;
        for (int r = 0; r < replicas; r++) {
            links[r].copy(other.links[r]);
            targets[r].copy(other.targets[r]);
            maps[r].copy(other.maps[r]);
        }
        history.copy(other.history);
        System.arraycopy(other.left, 0, left, 0, left.length);
        leftInAll = other.leftInAll;
    }

    // ---- transactions: 1 and 2 of the first thread, 3 and 4 of the second

    static int footprint(int transaction) {
        return FOOTPRINT[transaction];
    }

    static boolean touches(int transaction, int word) {
        return (FOOTPRINT[transaction] >> word & 1) != 0;
    }

    static void apply(int transaction, int[] image, int word) {
        if (!touches(transaction, word)) {
            return;
        }
        if (word != B) {
            image[word] = transaction;
            return;
        }
        switch (transaction) {
            case 1 -> image[B] |= 1;
            case 2 -> image[B] &= ~1;
            case 3 -> image[B] |= 2;
            default -> image[B] &= ~2;
        }
    }

    static void apply(int transaction, int[] image) {
        for (int word = 0; word < WORDS; word++) {
            apply(transaction, image, word);
        }
    }

    // ---- what follows from the state

    static boolean has(int set, int member) {
        return (set >> member & 1) != 0;
    }

    /** A run is under way: commits may be, too. */
    boolean isInRun() {
        return phase == RUNNING
                || phase == BROKEN
                || phase == SHRINKING
                || phase == JOINING
                || phase == SWITCHING && inRun != 0;
    }

    int committedUpTo() {
        int up = 0;
        while (up < lastRecord && has(committed, up + 1)) {
            up++;
        }
        return up;
    }

    /** The last record that is durable on all members. */
    int durableEverywhere() {
        int least = Integer.MAX_VALUE;
        for (int r = 0; r < replicas; r++) {
            if (has(members, r)) {
                least = Math.min(least, links[r].durable);
            }
        }
        return least;
    }

    int appliedEverywhere() {
        int least = Integer.MAX_VALUE;
        for (int r = 0; r < replicas; r++) {
            if (has(members, r)) {
                least = Math.min(least, links[r].applied);
            }
        }
        return least == Integer.MAX_VALUE ? lastRecord : least;
    }

    /** Whether a committer is between two places. */
    boolean isAnyBetween(int least, int most) {
        for (Committer committer : committers) {
            if (committer.at >= least && committer.at <= most) {
                return true;
            }
        }
        return false;
    }

    int leftOf(Bounds.Fault fault) {
        return leftInAll == 0 ? 0 : left[fault.ordinal()];
    }

    /** Takes one from what may still happen. */
    void use(Bounds.Fault fault) {
        left[fault.ordinal()]--;
        leftInAll--;
    }

    /** A connection ends; one record that was posted may still be on its way. */
    void cut(int r, boolean recordOnItsWay) {
        Link link = links[r];
        if (link.connected != 0 && recordOnItsWay && link.sent < lastRecord) {
            targets[r].late.set(epoch, link.sent + 1, staged[link.sent]);
            targets[r].latePlace = 1 + link.sent % SLOTS;
        }
        link.connected = 0;
    }

    /** The program's memory is gone. */
    void forgetRun() {
        for (Committer committer : committers) {
            int lane = committer.lane;
            int transaction = committer.transaction;
            int oldX = committer.oldX;
            int oldY = committer.oldY;
            committer.reset();
            if (lane != Committer.NO_LOG) {
                committer.lane = lane;
                committer.transaction = transaction;
                committer.oldX = oldX;
                committer.oldY = oldY;
            }
        }
        epoch = next = members = wanted = prepared = confirmed = switched = inRun = 0;
        lastRecord = committed = drained = drainedEpoch = oldNumber = mapsWritten = 0;
        Arrays.fill(staged, 0);
        for (Link link : links) {
            link.reset();
        }
        phase = DOWN;
    }

    /** Recovery of the lanes, as far as it stores. */
    void recoverLanes() {
        for (Committer committer : committers) {
            if (committer.lane == Committer.UNDO) {
                putBack(committer, seen);
            }
            if (committer.lane == Committer.REDO) {
                apply(committer.transaction, seen, B);
            }
        }
    }

    static void putBack(Committer committer, int[] image) {
        if (touches(committer.transaction, X)) {
            image[X] = committer.oldX;
        }
        if (touches(committer.transaction, Y)) {
            image[Y] = committer.oldY;
        }
    }
}
