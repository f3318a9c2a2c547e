package io.farheap.model.failover;

import io.farheap.model.Bits;
import java.util.Arrays;

/**
 * One state of everything: the store's record, the nodes with their copies and writers, requests
 * that are late, and, for judging, what the outside was told. {@link #fields} lists the fields once
 * for packing.
 */
final class Cluster {
    static final int NODES = 3;
    static final int EPOCHS = 7;
    static final int ALL = (1 << NODES) - 1;

    /** Records of one epoch, and commits in all. */
    static final int RECORDS = 3;

    private static final int NUMBER_BITS = 3;
    private static final int TERM_BITS = 3;
    private static final int VERSION_BITS = 4;

    final Record record = new Record();
    final Copy[] copies = new Copy[NODES];
    final Writer[] writers = new Writer[NODES];
    final Late[] late = new Late[NODES];

    /** By number - 1. */
    final Epoch[] epochs = new Epoch[EPOCHS];

    /** The last number that was given out. */
    int lastNumber;

    /** The last commit that was begun. */
    int lastCommit;

    /** Commits that returned. */
    int acknowledged;

    /** The highest term whose admission has opened, and the commits that its pool has. */
    int openTerm;

    int openContent;

    /** The store is older than what nodes have seen of it. */
    int storeWentBack;

    /** Nodes that don't come back. */
    int gone;

    final int[] left = new int[FailoverBounds.Chance.values().length];

    Cluster() {
        Arrays.setAll(copies, node -> new Copy());
        Arrays.setAll(writers, node -> new Writer());
        Arrays.setAll(late, node -> new Late());
        Arrays.setAll(epochs, number -> new Epoch());
    }

    /** What the store says. */
    static final class Record {
        int version;
        int term;
        int writer;
        int set;
        int number;

        void set(int newVersion, int newTerm, int newWriter, int newSet, int newNumber) {
            version = newVersion;
            term = newTerm;
            writer = newWriter;
            set = newSet;
            number = newNumber;
        }

        void fields(Bits bits) {
            version = bits.field(version, VERSION_BITS);
            term = bits.field(term, TERM_BITS);
            writer = bits.field(writer, 2);
            set = bits.field(set, NODES);
            number = bits.field(number, NUMBER_BITS);
        }
    }

    /** A node's copy. All is durable but {@link #session} and {@link #asked}. */
    static final class Copy {
        /** Content is on its way: the image is half old, half new. */
        int syncing;

        /** The slot's cur. */
        int epoch;

        /** Records of it in the journal. */
        int records;

        int next;

        /** No writer of a lower term is listened to. */
        int term;

        /** The term of the writer that is connected; 0: none. */
        int session;

        /** The content is not that of a commit boundary. */
        int mixed;

        /** The agent has asked the store for the term since it started. */
        int asked;

        void fields(Bits bits) {
            syncing = bits.field(syncing, 1);
            epoch = bits.field(epoch, NUMBER_BITS);
            records = bits.field(records, 2);
            next = bits.field(next, NUMBER_BITS);
            term = bits.field(term, TERM_BITS);
            session = bits.field(session, TERM_BITS);
            mixed = bits.field(mixed, 1);
            asked = bits.field(asked, 1);
        }

        void clear() {
            syncing = epoch = records = next = term = session = mixed = asked = 0;
        }

        boolean mayBecome(int number) {
            return epoch == number || next == number;
        }

        void adoptNext() {
            epoch = next;
            records = syncing = next = 0;
        }
    }

    /** A compare-and-set whose sender has no answer and which may still reach the store. */
    static final class Late {
        int version;
        int term;
        int set;
        int number;

        void set(int newVersion, int newTerm, int newSet, int newNumber) {
            version = newVersion;
            term = newTerm;
            set = newSet;
            number = newNumber;
        }

        void fields(Bits bits) {
            version = bits.field(version, VERSION_BITS);
            term = bits.field(term, TERM_BITS);
            set = bits.field(set, NODES);
            number = bits.field(number, NUMBER_BITS);
        }
    }

    /** What the pool of a number holds: a set of commits, and records one after another. */
    static final class Epoch {
        int before;
        int length;
        final int[] commits = new int[RECORDS];

        void fields(Bits bits) {
            before = bits.field(before, RECORDS);
            length = bits.field(length, 2);
            bits.fields(commits, 2);
        }
    }

    void fields(Bits bits) {
        record.fields(bits);
        for (int node = 0; node < NODES; node++) {
            copies[node].fields(bits);
            writers[node].fields(bits);
            late[node].fields(bits);
        }
        for (Epoch epoch : epochs) {
            epoch.fields(bits);
        }
        lastNumber = bits.field(lastNumber, NUMBER_BITS);
        lastCommit = bits.field(lastCommit, 2);
        acknowledged = bits.field(acknowledged, RECORDS);
        openTerm = bits.field(openTerm, TERM_BITS);
        openContent = bits.field(openContent, RECORDS);
        storeWentBack = bits.field(storeWentBack, 1);
        gone = bits.field(gone, NODES);
        bits.fields(left, 2);
    }

    Epoch epoch(int number) {
        return epochs[number - 1];
    }

    /** The commits in the pool of a number with its first records. */
    int content(int number, int records) {
        if (number == 0) {
            return 0;
        }
        Epoch epoch = epoch(number);
        int content = epoch.before;
        for (int i = 0; i < records; i++) {
            content |= bit(epoch.commits[i] - 1);
        }
        return content;
    }

    static int bit(int node) {
        return 1 << node;
    }

    static boolean has(int set, int node) {
        return (set >> node & 1) != 0;
    }

    /** Nobody writes on this node or is about to, and it is there. */
    boolean isIdle(int node) {
        int at = writers[node].at;
        return (at == Writer.NONE || at == Writer.DEPOSED) && !has(gone, node);
    }

    boolean has(FailoverBounds.Chance chance) {
        return left[chance.ordinal()] > 0;
    }

    void use(FailoverBounds.Chance chance) {
        left[chance.ordinal()]--;
    }
}
