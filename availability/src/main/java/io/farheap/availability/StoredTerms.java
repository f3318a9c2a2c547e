package io.farheap.availability;

import io.farheap.agent.RecordedTerms;
import io.farheap.availability.coordinator.Coordinator;

/** What an agent reads of the record, and no more. For it alone. Thread-safe. */
@SuppressWarnings("exports") // the agent's module, which finds it as a service
public final class StoredTerms implements RecordedTerms {
    /** For the service loader. */
    public StoredTerms() {}

    @Override
    public long termOf(String store, String pool) {
        int slash = pool.indexOf('/');
        PoolKeys keys =
                new PoolKeys(
                        NodeNames.require(
                                "cluster",
                                slash < 0
                                        ? HighAvailability.USUAL_CLUSTER
                                        : pool.substring(0, slash)),
                        NodeNames.require("pool", pool.substring(slash + 1)));
        try (Coordinator client = StoreAddress.of(store).connect()) {
            return client.read(keys.record())
                    .value()
                    .map(value -> ClusterRecordCodec.decode(keys.record(), value).term())
                    .orElse(0L);
        }
    }
}
