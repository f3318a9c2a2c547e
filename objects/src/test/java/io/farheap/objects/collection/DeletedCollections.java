package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.Set;

/** What deleted collections leave to a reclaim: their headers. */
public final class DeletedCollections {
    private static final Set<Long> HEADERS =
            Set.of(
                    HashLayout.HEADER_TYPE,
                    TreeHeader.TYPE,
                    DequeChunks.HEADER_TYPE,
                    CellCounter.Layout.TYPE,
                    BlobExtents.HEADER_TYPE);

    private DeletedCollections() {}

    /** Whether an object of the pool is the header of one. */
    public static boolean isHeader(ObjectPool pool, Ref object) {
        return HEADERS.contains(pool.typeNumber(object)) && pool.getLong(object, 0) == 0;
    }

    /** Deletes a collection with its header, as a reclaim does. */
    static void delete(HeapTransactions heap, CollectionType<?> type, long header) {
        heap.transaction(
                tx -> {
                    type.delete(tx, header);
                    return null;
                });
        heap.transaction(
                tx -> {
                    assertThat(tx.getLong(header, 0)).as("a header that tells").isZero();
                    tx.free(header);
                    return null;
                });
    }
}
