package io.farheap.objects.collection;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
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
}
