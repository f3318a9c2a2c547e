package io.farheap.objects.type;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Frees what the root does not reach, while transactions run.
 *
 * <p>First objects that one read of the whole heap does not reach are deleted, each with what it
 * owns, and their places stay. Then a second such read finds which of these places, and of those
 * that were deleted before, nothing refers to any more: no transaction can make another reference
 * to a place without an object, so these are free for good.
 *
 * <p>Only what was allocated before a read's instant is judged by it. A commit that is on its way
 * meanwhile may have allocated, and not yet be seen; so an own commit, which ends after all those,
 * stands between the list of what is allocated and the read. Another one stands between the list of
 * what objects own and that of objects: what is on the first list has its owner on the second.
 *
 * <p>What a commit freed after the list was begun may have been given out again by one that the
 * read does not see: it is not judged, and left to the next run. Where that may have been an
 * object, no place and no block is freed either: it may refer to the one or own the other.
 */
public final class Reclaim {
    private static final int BATCH = 64;

    private final ObjectPool pool;
    private final HeapTransactions heap;
    private final StoredTypes types;

    /** By type number: objects and bytes. */
    private final Map<Long, long[]> counts = new HashMap<>();

    public Reclaim(ObjectPool pool, HeapTransactions heap, StoredTypes types) {
        this.pool = pool;
        this.heap = heap;
        this.types = types;
    }

    /**
     * Returns what was found, by type, the one with the most bytes first.
     *
     * @param isDryRun whether nothing is to be freed
     */
    public List<UnreachableObjects> run(boolean isDryRun) {
        Unreached unreached = unreached(counts);
        if (!isDryRun) {
            inBatches(unreached.objects, place -> StoredObjects.delete(place.tx, types, place.at));
            inBatches(unreached.blocks, place -> place.tx.free(place.at));
            Unreached now = unreached(new HashMap<>());
            inBatches(now.deletedPlaces, place -> place.tx.free(place.at));
        }
        return byType();
    }

    private List<UnreachableObjects> byType() {
        List<UnreachableObjects> found = new ArrayList<>();
        counts.forEach(
                (number, figures) ->
                        found.add(new UnreachableObjects(name(number), figures[0], figures[1])));
        found.sort(
                Comparator.comparingLong((UnreachableObjects one) -> -one.bytes())
                        .thenComparing(UnreachableObjects::type));
        return found;
    }

    private String name(long typeNumber) {
        TypeDescriptor type = types.object(typeNumber);
        return type != null ? type.name() : String.format("0x%x", typeNumber);
    }

    private record Place(HeapTransaction tx, long at) {}

    private void inBatches(List<Long> places, Consumer<Place> action) {
        for (int from = 0; from < places.size(); from += BATCH) {
            List<Long> batch = places.subList(from, Math.min(places.size(), from + BATCH));
            heap.transaction(
                    tx -> {
                        batch.forEach(place -> action.accept(new Place(tx, place)));
                        return null;
                    });
        }
    }

    /**
     * What one read of the heap does not reach.
     *
     * @param objects those that are not deleted; without what only has the fields of another
     * @param deletedPlaces places of objects that were deleted
     * @param blocks what no object owns, reached or not
     */
    private record Unreached(List<Long> objects, List<Long> deletedPlaces, List<Long> blocks) {}

    private Unreached unreached(Map<Long, long[]> figures) {
        long moment = heap.moment();
        List<Allocated> allocated = allocated(false);
        awaitCommits();
        allocated.addAll(allocated(true));
        awaitCommits();
        return heap.read(tx -> unreached(tx, moment, new ArrayList<>(allocated), figures));
    }

    /** An own commit ends after all that have begun to before it. */
    private void awaitCommits() {
        heap.transaction(
                tx -> {
                    RootLayout.countReclaim(tx, tx.root());
                    return null;
                });
    }

    private Unreached unreached(
            HeapTransaction tx, long moment, List<Allocated> allocated, Map<Long, long[]> figures) {
        figures.clear();
        Marking marking = new Marking(tx, types);
        long root = RootLayout.programRoot(tx, tx.root());
        if (root != 0) {
            marking.from(root);
        }
        allocated.removeIf(one -> marking.isMarked(one.place));
        boolean isEachReferenceKnown = true;
        List<Allocated> unchanged = new ArrayList<>();
        for (Allocated one : allocated) {
            if (!tx.isChangedSince(moment, one.place)) {
                unchanged.add(one);
            } else if (one.isObject()) {
                isEachReferenceKnown &= ObjectLayout.isDeleted(ObjectLayout.word(tx, one.place));
            }
        }
        return judged(tx, unchanged, isEachReferenceKnown, marking, figures);
    }

    private static Unreached judged(
            HeapTransaction tx,
            List<Allocated> allocated,
            boolean isEachReferenceKnown,
            Marking marking,
            Map<Long, long[]> figures) {
        for (Allocated one : allocated) {
            long[] figure = figures.computeIfAbsent(one.typeNumber, number -> new long[2]);
            figure[0]++;
            figure[1] += one.bytes;
        }
        Unreached found = new Unreached(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        LongHashSet bodies = bodies(tx, allocated);
        List<Long> deleted = new ArrayList<>();
        for (Allocated one : allocated) {
            if (one.isObject() && !bodies.contains(one.place)) {
                if (ObjectLayout.isDeleted(ObjectLayout.word(tx, one.place))) {
                    deleted.add(one.place);
                } else {
                    found.objects.add(one.place);
                    marking.from(one.place);
                }
            }
        }
        if (!isEachReferenceKnown) {
            return found;
        }
        // Only now: an object that is not deleted yet may refer to one that is.
        deleted.stream()
                .filter(place -> !marking.isMarked(place))
                .forEach(found.deletedPlaces::add);
        for (Allocated one : allocated) {
            if (!one.isObject() && !marking.isMarked(one.place)) {
                found.blocks.add(one.place);
            }
        }
        return found;
    }

    /** Where the fields of moved objects are: they go with those. */
    private static LongHashSet bodies(HeapTransaction tx, List<Allocated> allocated) {
        LongHashSet bodies = new LongHashSet();
        for (Allocated one : allocated) {
            if (one.isObject() && ObjectLayout.isMoved(ObjectLayout.word(tx, one.place))) {
                boolean unused = bodies.add(ObjectLayout.movedTo(tx, one.place));
            }
        }
        return bodies;
    }

    private record Allocated(long place, long typeNumber, long bytes) {
        boolean isObject() {
            return typeNumber >= TypeDescriptor.FIRST_ID;
        }
    }

    private List<Allocated> allocated(boolean isObject) {
        List<Allocated> allocated = new ArrayList<>();
        for (Ref object : pool.objects()) {
            try {
                long number = pool.typeNumber(object);
                if (RootLayout.isReclaimable(number)
                        && number >= TypeDescriptor.FIRST_ID == isObject) {
                    allocated.add(new Allocated(object.offset(), number, pool.usableSize(object)));
                }
            } catch (FarheapException e) {
                if (e.category() != FarheapException.Category.WRONG_USE) {
                    throw e;
                } // freed meanwhile
            }
        }
        return allocated;
    }
}
