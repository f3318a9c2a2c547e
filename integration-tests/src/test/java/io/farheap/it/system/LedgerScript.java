package io.farheap.it.system;

import static io.farheap.it.interop.RandomWorkload.content;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What one thread's transactions do, one after another: a function of the seed, so that whoever
 * knows how many of them there were knows every byte. Each changes one to three of a ledger's
 * slots; an object is allocated (small ones, of all classes, and huge ones that no journal's ring
 * takes in one record), freed, reallocated, rewritten in part by buffered values, or stored into in
 * place.
 */
final class LedgerScript {
    /** Objects a ledger refers to, at most. */
    static final int SLOTS = 20;

    private static final int MAX_CHANGED_IN_PLACE = 20_000;

    enum Kind {
        ALLOCATE,
        FREE,
        REALLOCATE,
        REWRITE,
        STORE
    }

    /**
     * One change.
     *
     * @param size of the object from now on (ALLOCATE, REALLOCATE), else of its part
     * @param seed of the new bytes
     * @param offset where they begin
     */
    record Change(int slot, Kind kind, int size, long type, long seed, int offset) {
        byte[] bytes(int length) {
            return content(length, seed);
        }
    }

    /** What one slot must hold: changes since it was allocated, that included. */
    private static final class Content {
        private int size;
        private final long type;
        private final List<Change> changes = new ArrayList<>();
        private final List<Integer> sizesBefore = new ArrayList<>();

        Content(Change allocation) {
            type = allocation.type();
            add(allocation);
        }

        void add(Change change) {
            changes.add(change);
            sizesBefore.add(size);
            if (change.kind() == Kind.ALLOCATE || change.kind() == Kind.REALLOCATE) {
                size = change.size();
            }
        }

        byte[] bytes() {
            byte[] all = new byte[0];
            for (int i = 0; i < changes.size(); i++) {
                Change change = changes.get(i);
                int from = change.offset();
                int length = change.size();
                if (change.kind() == Kind.ALLOCATE || change.kind() == Kind.REALLOCATE) {
                    from = Math.min(sizesBefore.get(i), change.size());
                    length = change.size() - from;
                    all = java.util.Arrays.copyOf(all, change.size());
                }
                System.arraycopy(change.bytes(length), 0, all, from, length);
            }
            return all;
        }
    }

    private final long seed;
    private final int thread;
    private final Content[] slots = new Content[SLOTS];
    private long number;

    LedgerScript(long seed, int thread) {
        this.seed = seed;
        this.thread = thread;
    }

    /** After so many transactions. */
    static LedgerScript after(long seed, int thread, long transactions) {
        LedgerScript script = new LedgerScript(seed, thread);
        while (script.number < transactions) {
            script.accept(script.next());
        }
        return script;
    }

    /** How many transactions there were. */
    long number() {
        return number;
    }

    /** Whether a transaction adds itself to what all threads count together. */
    static boolean countsForAll(long number) {
        return number % 4 == 0;
    }

    /** Bytes that the next transaction stores, at least: what its records can't do without. */
    long bytesOfNext() {
        long bytes = 0;
        for (Change change : next()) {
            Content held = slots[change.slot()];
            int kept = change.kind() == Kind.REALLOCATE ? held.size : 0;
            bytes += Math.max(0, change.size() - kept);
        }
        return bytes;
    }

    /** The bytes that a slot's object must begin with; null: there is none. */
    byte[] bytes(int slot) {
        return slots[slot] == null ? null : slots[slot].bytes();
    }

    long type(int slot) {
        return slots[slot].type;
    }

    /** The size of a slot's object. */
    int size(int slot) {
        return slots[slot].size;
    }

    /** The changes of the next transaction; the same until they are accepted. */
    List<Change> next() {
        SplittableRandom random =
                new SplittableRandom(seed * 1_000_003 + thread * 7_919L + (number << 20));
        List<Change> changes = new ArrayList<>();
        int first = random.nextInt(SLOTS);
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            changes.add(change((first + 7 * i) % SLOTS, random));
        }
        return changes;
    }

    private Change change(int slot, SplittableRandom random) {
        Content held = slots[slot];
        long contentSeed = random.nextLong();
        if (held == null) {
            long type = 2L + random.nextInt(5);
            return new Change(slot, Kind.ALLOCATE, size(random), type, contentSeed, 0);
        }
        int choice = random.nextInt(10);
        if (choice < 3) {
            return new Change(slot, Kind.FREE, 0, held.type, contentSeed, 0);
        }
        if (choice < 5) {
            return new Change(slot, Kind.REALLOCATE, size(random), held.type, contentSeed, 0);
        }
        int offset = random.nextInt(held.size);
        int length = 1 + random.nextInt(Math.min(MAX_CHANGED_IN_PLACE, held.size - offset));
        Kind kind = choice < 8 ? Kind.REWRITE : Kind.STORE;
        return new Change(slot, kind, length, held.type, contentSeed, offset);
    }

    private static int size(SplittableRandom random) {
        int choice = random.nextInt(400);
        if (choice == 0) {
            return 1_200_000 + random.nextInt(300_000);
        }
        if (choice < 10) {
            return 32_000 + random.nextInt(250_000);
        }
        if (choice < 60) {
            return 4_000 + random.nextInt(28_000);
        }
        return choice < 200 ? 256 + random.nextInt(3_800) : 16 + random.nextInt(240);
    }

    /** The transaction has happened. */
    void accept(List<Change> changes) {
        for (Change change : changes) {
            if (change.kind() == Kind.ALLOCATE) {
                slots[change.slot()] = new Content(change);
            } else if (change.kind() == Kind.FREE) {
                slots[change.slot()] = null;
            } else {
                slots[change.slot()].add(change);
            }
        }
        number++;
    }
}
