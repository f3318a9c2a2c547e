package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.base.FarheapException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * All pools of which a store has a record (docs/high-availability.md#many-pools). From any machine
 * that reaches the store; it changes nothing, and touches no copy.
 *
 * <pre>
 * List&lt;CataloguedPool&gt; pools = PoolCatalogue.of("etcd:https://e1:2379,https://e2:2379").look();
 * </pre>
 *
 * <p>Said step by step, by one thread; may be used again.
 */
public final class PoolCatalogue {
    /** A page is more than a value, and nobody waits for it to write. */
    private static final Duration TTL = Duration.ofSeconds(30);

    private StoreAddress address;
    private String prefix = PoolKeys.ofAll();

    private PoolCatalogue(StoreAddress address) {
        this.address = address;
    }

    /**
     * Begins to say it.
     *
     * @param store as for {@link HighAvailability#of}
     */
    public static PoolCatalogue of(String store) {
        return new PoolCatalogue(StoreAddress.of(store).withTtl(TTL));
    }

    /** The pools of this cluster only; those of all where nobody says. */
    public PoolCatalogue cluster(String name) {
        prefix = PoolKeys.ofCluster(name);
        return this;
    }

    /** As {@link HighAvailability#certificates}. */
    public PoolCatalogue certificates(Path authorities, Path certificate, Path key) {
        address = address.withTls(new StoreSettings.Tls(authorities, certificate, key));
        return this;
    }

    /** As {@link HighAvailability#login}. */
    public PoolCatalogue login(String user, String password) {
        address = address.withLogin(new StoreSettings.Login(user, password));
        return this;
    }

    /**
     * For who looks again and again: one connection for all looks.
     *
     * @return to be closed; a store that does not answer is told by each look
     */
    public CatalogueConnection connect() {
        return new CatalogueConnection(address.connect(), prefix);
    }

    /**
     * Every pool that has a record, by cluster and name, all as they were at one moment (with
     * ZooKeeper, each value as it was at some moment). A record that can't be understood is one of
     * them, and says so.
     *
     * @throws FarheapException ENVIRONMENT when the store does not answer, or refuses
     */
    public List<CataloguedPool> look() {
        try (CatalogueConnection connection = connect()) {
            return connection.look();
        }
    }

    static List<CataloguedPool> look(Coordinator store, String prefix) {
        return CatalogueReader.read(store.list(prefix));
    }
}
