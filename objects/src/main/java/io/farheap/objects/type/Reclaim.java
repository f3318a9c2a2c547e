package io.farheap.objects.type;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ObjLongConsumer;

/**
 * Frees what the root does not reach, while transactions run.
 *
 * <p>First objects that one read of the whole heap does not reach are deleted, each with what it
 * owns, and their places stay, and the headers of their collections. Then a second such read finds
 * which of these places, and of those that were deleted before, nothing refers to any more: no
 * transaction can make another reference to a place without an object, so these are free for good.
 * So are the headers, which nothing refers to but the variables of programs.
 *
 * <p>Only what was allocated before a read's instant is judged by it. A commit that is on its way
 * meanwhile may have allocated, and not yet be seen; so those that have begun to store are waited
 * for between the list of what is allocated and the read. So they are between the list of what
 * objects own and that of objects: what is on the first list has its owner on the second.
 *
 * <p>What a commit freed after the list was begun may have been given out again: such places are
 * noted, not judged, and left to the next run. What lies at any other place of the list is the same
 * in the list, in the read and until it is freed here, as only this frees objects' places, and only
 * its owner a block. Where a freed place was listed as an object, no place and no block is freed
 * either: another object may be there, and refer to the one or own the other. (Only the fields of a
 * moved object are freed so.)
 *
 * <p>An object that was changed after the list was begun is left to the next run, with what it
 * leads to. Who made it may be about to link it; and where it was deleted, an object that the read
 * does not see may have got a reference to it before.
 *
 * <p>It is in no hurry where others commit: see {@link Pace}. Their commits wait for its own, which
 * are small then.
 */
public final class Reclaim {
    /** In one transaction; of others' commits, those that began later wait for it. */
    private static final int BATCH = 64;

    private static final int BATCH_BESIDE_OTHERS = 8;

    private final ObjectPool pool;
    private final HeapTransactions heap;
    private final HeapContext context;
    private final Pace pace;

    public Reclaim(ObjectPool pool, HeapTransactions heap, HeapContext context) {
        this.pool = pool;
        this.heap = heap;
        this.context = context;
        this.pace = new Pace(heap);
    }

    /**
     * Returns what was found, by type, the one with the most bytes first.
     *
     * @param isDryRun whether nothing is to be freed
     */
    public List<UnreachableObjects> run(boolean isDryRun) {
        return heap.reclaim(() -> runAlone(isDryRun));
    }

    private List<UnreachableObjects> runAlone(boolean isDryRun) {
        UnreachedSearch first = search();
        UnreachedPlaces unreached = first.run();
        if (!isDryRun) {
            StoredTypes types = first.types();
            inBatches(unreached.objects(), (tx, place) -> delete(tx, types, place));
            inBatches(unreached.blocks(), this::freeBlock);
            UnreachedPlaces left = search().run();
            inBatches(left.blocks(), this::freeBlock);
            inBatches(left.deletedPlaces(), HeapTransaction::free);
        }
        return byType(first);
    }

    /** A read of an earlier instant may see it yet: in its own way. */
    private void freeBlock(HeapTransaction tx, long place) {
        if (CollectionType.isShared(pool.typeNumber(new Ref(pool.poolId(), place)))) {
            tx.freeShared(place);
        } else {
            tx.free(place);
        }
    }

    private UnreachedSearch search() {
        return new UnreachedSearch(pool, heap, context, pace);
    }

    private static void delete(HeapTransaction tx, StoredTypes types, long place) {
        boolean unused = StoredObjects.delete(tx, types, place);
    }

    private static List<UnreachableObjects> byType(UnreachedSearch search) {
        List<UnreachableObjects> found = new ArrayList<>();
        search.figures()
                .forEach(
                        (number, figure) ->
                                found.add(
                                        new UnreachableObjects(
                                                name(search.types(), number),
                                                figure[0],
                                                figure[1])));
        found.sort(
                Comparator.comparingLong((UnreachableObjects one) -> -one.bytes())
                        .thenComparing(UnreachableObjects::type));
        return found;
    }

    private static String name(StoredTypes types, long typeNumber) {
        TypeDescriptor type = types.object(typeNumber);
        return type != null ? type.name() : String.format("0x%x", typeNumber);
    }

    private void inBatches(Offsets places, ObjLongConsumer<HeapTransaction> action) {
        int done = 0;
        while (done < places.size()) {
            int from = done;
            int batch = pace.isAlone() ? BATCH : BATCH_BESIDE_OTHERS;
            int to = Math.min(places.size(), from + batch);
            heap.transaction(
                    tx -> {
                        for (int i = from; i < to; i++) {
                            action.accept(tx, places.get(i));
                        }
                        return null;
                    });
            pace.committed();
            done = to;
        }
    }
}
