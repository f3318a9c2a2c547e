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
    private final HeapContext context;
    private final Pace pace;

    /** Of the last search, by type number: objects and bytes. */
    private final Map<Long, long[]> figures = new HashMap<>();

    /** As of the read: a program may add types before it. */
    private StoredTypes types;

    private final ChangedPlaces changes = new ChangedPlaces();

    UnreachedSearch(ObjectPool pool, HeapTransactions heap, HeapContext context, Pace pace) {
        this.pool = pool;
        this.heap = heap;
        this.context = context;
        this.pace = pace;
    }

    /** How much was found, by type number: objects and bytes. */
    Map<Long, long[]> figures() {
        return figures;
    }

    /** What types there were, once it has run. */
    StoredTypes types() {
        return types;
    }

    /** Once. */
    UnreachedPlaces run() {
        heap.watch(changes);
        try {
            return runWatching();
        } finally {
            heap.endWatch(changes);
            pace.hurry(false);
        }
    }

    private UnreachedPlaces runWatching() {
        awaitCommits();
        Offsets blocks = allocated(false);
        changes.beginObjects();
        awaitCommits();
        Offsets objects = allocated(true);
        awaitCommits();
        return heap.read(
                tx -> {
                    try {
                        return run(tx, blocks, objects);
                    } catch (SnapshotTooOldException again) {
                        pace.hurry(true);
                        throw again;
                    }
                });
    }

    private void awaitCommits() {
        heap.awaitCommits();
        pace.committed();
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

    // ---- what is reached ----

    private UnreachedPlaces run(HeapTransaction tx, Offsets blocks, Offsets objects) {
        figures.clear();
        types = new StoredTypes(StoredHeap.table(pool, heap), context);
        Marking marking = new Marking(tx, types, pace);
        long root = RootLayout.programRoot(tx, tx.root());
        if (root != 0) {
            marking.from(root);
        }
        Offsets unmarkedBlocks = new Offsets();
        boolean unused = addUnmarked(blocks, false, marking, unmarkedBlocks);
        Offsets unmarkedObjects = new Offsets();
        boolean areAllJudged = addUnmarked(objects, true, marking, unmarkedObjects);
        for (int i = 0; i < unmarkedBlocks.size(); i++) {
            count(unmarkedBlocks.get(i));
        }
        UnreachedPlaces found = new UnreachedPlaces();
        Offsets deleted = addObjects(tx, unmarkedObjects, marking, found);
        if (areAllJudged) {
            // Only now: an object that is not deleted yet may refer to one that is.
            addUnmarked(deleted, marking, found.deletedPlaces());
            addUnmarked(unmarkedBlocks, marking, found.blocks());
        }
        return found;
    }

    /**
     * Adds what nothing refers to, but for what was freed since the list was begun, which may be
     * something else by now.
     *
     * @return whether none was freed
     */
    private boolean addUnmarked(Offsets from, boolean areObjects, Marking marking, Offsets to) {
        boolean isNoneFreed = true;
        for (int i = 0; i < from.size(); i++) {
            pace.step();
            long place = from.get(i);
            if (marking.isMarked(place)) {
                continue;
            }
            if (typeNumber(new Ref(pool.poolId(), place)) == NONE
                    || changes.isFreed(place, areObjects)) {
                isNoneFreed = false;
            } else {
                to.add(place);
            }
        }
        return isNoneFreed;
    }

    private void count(long place) {
        Ref object = new Ref(pool.poolId(), place);
        long number = typeNumber(object);
        if (number != NONE) {
            long[] figure = figures.computeIfAbsent(number, unused -> new long[2]);
            figure[0]++;
            figure[1] += bytes(object);
        }
    }

    /**
     * Adds the objects to what was found, but for those that were changed since the list was begun,
     * and marks what any of them leads to.
     *
     * @return the places of those that were deleted before
     */
    private Offsets addObjects(
            HeapTransaction tx, Offsets objects, Marking marking, UnreachedPlaces found) {
        OffsetSet bodies = bodies(tx, objects);
        Offsets deleted = new Offsets();
        for (int i = 0; i < objects.size(); i++) {
            pace.step();
            long place = objects.get(i);
            if (bodies.contains(place)) {
                continue;
            }
            long word = ObjectLayout.word(tx, place);
            boolean isJudged = !changes.isChanged(place);
            if (isJudged) {
                count(place);
                if (ObjectLayout.isMoved(word)) {
                    count(ObjectLayout.movedTo(tx, place));
                }
            }
            if (!ObjectLayout.isDeleted(word)) {
                marking.from(place);
            }
            if (isJudged) {
                (ObjectLayout.isDeleted(word) ? deleted : found.objects()).add(place);
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
