package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.base.FarheapException;
import java.util.List;

/**
 * A store that is asked for its pools again and again: {@link PoolCatalogue#connect}. For one
 * thread.
 */
public final class CatalogueConnection implements AutoCloseable {
    private final Coordinator store;
    private final String prefix;

    CatalogueConnection(Coordinator store, String prefix) {
        this.store = store;
        this.prefix = prefix;
    }

    /**
     * As {@link PoolCatalogue#look}.
     *
     * @throws FarheapException ENVIRONMENT when the store does not answer, or refuses; the next
     *     look may have an answer again
     */
    public List<CataloguedPool> look() {
        return PoolCatalogue.look(store, prefix);
    }

    @Override
    public void close() {
        store.close();
    }
}
