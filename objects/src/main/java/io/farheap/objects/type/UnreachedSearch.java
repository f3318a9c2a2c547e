package io.farheap.objects.type;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.base.SnapshotTooOldException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds what the root does not reach, while transactions run: {@link Reclaim} says why it is found
 * so. Not thread-safe.
 */
final class UnreachedSearch {
    private static final long NONE = 0;

    private final ObjectPool pool;
    private final HeapTransactions heap;
    private final StoredTypes types;
    private final Pace pace;

    /** Of the last search, by type number: objects and bytes. */
    private final Map<Long, long[]> figures = new HashMap<>();

    UnreachedSearch(ObjectPool pool, HeapTransactions heap, StoredTypes types, Pace pace) {
        this.pool = pool;
        this.heap = heap;
        this.types = types;
        this.pace = pace;
    }

    /** How much was found, by type number: objects and bytes. */
    Map<Long, long[]> figures() {
        return figures;
    }

    UnreachedPlaces run() {
        long moment = heap.moment();
        Offsets blocks = allocated(false);
        awaitCommits();
        Offsets objects = allocated(true);
        awaitCommits();
        try {
            return heap.read(
                    tx -> {
                        try {
                            return run(tx, moment, blocks, objects);
                        } catch (SnapshotTooOldException again) {
                            pace.hurry(true);
                            throw again;
                        }
                    });
        } finally {
            pace.hurry(false);
        }
    }

    // ---- what is allocated ----

    private Offsets allocated(boolean areObjects) {
        Offsets allocated = new Offsets();
        for (Ref object : pool.objects()) {
            pace.step();
            long number = typeNumber(object);
            if (number != NONE && number >= TypeDescriptor.FIRST_ID == areObjects) {
                allocated.add(object.offset());
            }
        }
        return allocated;
    }

    /** Of what belongs to typed objects, and was not freed meanwhile; else {@link #NONE}. */
    private long typeNumber(Ref object) {
        try {
            long number = pool.typeNumber(object);
            return RootLayout.isReclaimable(number) ? number : NONE;
        } catch (FarheapException e) {
            requireFreed(e);
            return NONE;
        }
    }

    private long bytes(Ref object) {
        try {
            return pool.usableSize(object);
        } catch (FarheapException e) {
            requireFreed(e);
            return NONE;
        }
    }

    private static void requireFreed(FarheapException cause) {
        if (cause.category() != FarheapException.Category.WRONG_USE) {
            throw cause;
        }
    }

    /** An own commit ends after all that have begun to before it. */
    private void awaitCommits() {
        heap.transaction(
                tx -> {
                    RootLayout.countReclaim(tx, tx.root());
                    return null;
                });
        pace.committed();
    }

    // ---- what is reached ----

    private UnreachedPlaces run(HeapTransaction tx, long moment, Offsets blocks, Offsets objects) {
        figures.clear();
        Marking marking = new Marking(tx, types, pace);
        long root = RootLayout.programRoot(tx, tx.root());
        if (root != 0) {
            marking.from(root);
        }
        Offsets unmarkedBlocks = new Offsets();
        boolean unused = addUnmarked(tx, moment, blocks, marking, unmarkedBlocks);
        Offsets unmarkedObjects = new Offsets();
        boolean areOthersDeleted = addUnmarked(tx, moment, objects, marking, unmarkedObjects);
        UnreachedPlaces found = new UnreachedPlaces();
        Offsets deleted = addObjects(tx, unmarkedObjects, marking, found);
        if (areOthersDeleted) {
            // Only now: an object that is not deleted yet may refer to one that is.
            addUnmarked(deleted, marking, found.deletedPlaces());
            addUnmarked(unmarkedBlocks, marking, found.blocks());
        }
        return found;
    }

    /**
     * Adds what nothing refers to, and counts it, but for what a commit changed since the list was
     * begun, which may be something else by now.
     *
     * @return whether none of that can be an object that refers to others
     */
    private boolean addUnmarked(
            HeapTransaction tx, long moment, Offsets from, Marking marking, Offsets to) {
        boolean areOthersDeleted = true;
        for (int i = 0; i < from.size(); i++) {
            pace.step();
            long place = from.get(i);
            if (marking.isMarked(place)) {
                continue;
            }
            Ref object = new Ref(pool.poolId(), place);
            long number = typeNumber(object);
            long bytes = bytes(object);
            if (number == NONE || tx.isChangedSince(moment, place)) {
                areOthersDeleted &= ObjectLayout.isDeleted(ObjectLayout.word(tx, place));
            } else {
                to.add(place);
                long[] figure = figures.computeIfAbsent(number, unused -> new long[2]);
                figure[0]++;
                figure[1] += bytes;
            }
        }
        return areOthersDeleted;
    }

    /**
     * Adds the objects to what was found, and marks what they lead to.
     *
     * @return the places of those that are deleted
     */
    private static Offsets addObjects(
            HeapTransaction tx, Offsets objects, Marking marking, UnreachedPlaces found) {
        OffsetSet bodies = bodies(tx, objects);
        Offsets deleted = new Offsets();
        for (int i = 0; i < objects.size(); i++) {
            long place = objects.get(i);
            if (bodies.contains(place)) {
                continue;
            }
            if (ObjectLayout.isDeleted(ObjectLayout.word(tx, place))) {
                deleted.add(place);
            } else {
                found.objects().add(place);
                marking.from(place);
            }
        }
        return deleted;
    }

    /** Where the fields of moved objects are: they go with those. */
    private static OffsetSet bodies(HeapTransaction tx, Offsets objects) {
        OffsetSet bodies = new OffsetSet();
        for (int i = 0; i < objects.size(); i++) {
            long place = objects.get(i);
            if (ObjectLayout.isMoved(ObjectLayout.word(tx, place))) {
                boolean unused = bodies.add(ObjectLayout.movedTo(tx, place));
            }
        }
        return bodies;
    }

    private static void addUnmarked(Offsets places, Marking marking, Offsets to) {
        for (int i = 0; i < places.size(); i++) {
            if (!marking.isMarked(places.get(i))) {
                to.add(places.get(i));
            }
        }
    }
}
