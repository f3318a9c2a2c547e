package io.farheap.tools.failover;

import io.farheap.availability.HighAvailability;
import java.io.IOException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which pool of which store, and how that is reached. */
final class PoolInStore {
    /** As {@link HighAvailability} has it where a program names none. */
    static final String USUAL_CLUSTER = "main";

    @Option(
            names = "--store",
            required = true,
            paramLabel = "STORE",
            description =
                    "etcd:https://e1:2379,https://e2:2379: its endpoints for clients; or"
                            + " zookeeper:z1:2181,z2:2181/farheap, with farheap-zookeeper in ext/")
    private String store;

    @Option(
            names = "--pool",
            required = true,
            paramLabel = "NAME",
            description = "the pool's name in the store")
    private String pool;

    @Option(
            names = "--cluster",
            paramLabel = "NAME",
            defaultValue = USUAL_CLUSTER,
            description = "the pool's cluster in the store; default: ${DEFAULT-VALUE}")
    private String cluster;

    @Mixin private StoreAccess access;

    HighAvailability reached() throws IOException {
        HighAvailability reached = HighAvailability.of(store, pool).cluster(cluster);
        access.give(reached::certificates, reached::login);
        return reached;
    }
}
