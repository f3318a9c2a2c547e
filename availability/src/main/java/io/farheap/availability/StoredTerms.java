package io.farheap.availability;

import io.farheap.agent.config.AskedStore;
import io.farheap.agent.config.RecordedTerms;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import io.farheap.pool.FileStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What an agent reads of the record, and no more. For it alone. Thread-safe. */
@SuppressWarnings("exports") // the agent's module, which finds it as a service
public final class StoredTerms implements RecordedTerms {
    /** For the service loader. */
    public StoredTerms() {}

    @Override
    public long termOf(AskedStore asked) {
        String pool = asked.pool();
        int slash = pool.indexOf('/');
        PoolKeys keys =
                new PoolKeys(
                        NodeNames.require(
                                "cluster",
                                slash < 0
                                        ? HighAvailability.USUAL_CLUSTER
                                        : pool.substring(0, slash)),
                        NodeNames.require("pool", pool.substring(slash + 1)));
        try (Coordinator client = address(asked).connect()) {
            return term(keys.record(), client.read(keys.record()));
        }
    }

    private static StoreAddress address(AskedStore asked) {
        StoreAddress address = StoreAddress.of(asked.store());
        AskedStore.Access access = asked.access();
        if (access.authorities() != null) {
            address =
                    address.withTls(
                            new StoreSettings.Tls(
                                    access.authorities(), access.certificate(), access.key()));
        }
        return access.user() == null
                ? address
                : address.withLogin(
                        new StoreSettings.Login(access.user(), password(access.password())));
    }

    private static String password(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw FileStatus.unreadable(file, e);
        }
    }

    static long term(String key, Versioned now) {
        if (now.hasLostItsStore()) {
            throw FarheapException.badData(
                    "The store has %s, and no identity any more: somebody has taken that away, as"
                            + " after a backup was put back, and nobody knows how old the record"
                            + " is. Put the pool under fail-over again, as"
                            + " docs/high-availability.md#past-the-record says.",
                    key);
        }
        return now.value().map(value -> ClusterRecordCodec.decode(key, value).term()).orElse(0L);
    }
}
