package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.config.AskedStore;
import io.farheap.agent.config.RecordedTerms;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.availability.etcd.EtcdCoordinator;
import io.farheap.availability.etcd.EtcdProcesses;
import io.farheap.availability.etcd.EtcdSettings;
import io.farheap.base.FarheapException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an agent is told of a pool in a real etcd. */
class StoredTermsTest {
    @TempDir private Path directory;

    private final RecordedTerms terms =
            ServiceLoader.load(RecordedTerms.class).findFirst().orElseThrow();

    @Test
    void isTheTermOfTheRecord() throws Exception {
        try (EtcdProcesses etcd = EtcdProcesses.start(directory);
                Coordinator store = connect(etcd.endpoints())) {
            String address =
                    etcd.endpoints().stream()
                            .map(URI::toString)
                            .collect(Collectors.joining(",", "etcd:", ""));
            write(store, new PoolKeys("main", "bank"), 7);
            write(store, new PoolKeys("east", "bank"), 9);

            assertThat(terms.termOf(asked(address, "bank"))).isEqualTo(7);
            assertThat(terms.termOf(asked(address, "east/bank"))).isEqualTo(9);
            assertThat(terms.termOf(asked(address, "another"))).isZero();
        }
    }

    private static AskedStore asked(String store, String pool) {
        return new AskedStore("copy.set", store, pool, AskedStore.Access.NONE);
    }

    @Test
    void aStoreThatDoesNotAnswerTellsNothing() {
        assertThatThrownBy(() -> terms.termOf(asked("etcd:http://127.0.0.1:1", "bank")))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void whatIsNoStoreIsSaid() {
        assertThatThrownBy(() -> terms.termOf(asked("http://127.0.0.1:1", "bank")))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("names no store");
    }

    /** As when a backup of ZooKeeper was put back and its identity taken away. */
    @Test
    void aRecordWhoseStoreHasLostItsIdentityTellsNothing() {
        Versioned there = new Versioned(Optional.of(record(7)), 3, new StoreStamp("here", 3));
        assertThat(StoredTerms.term("k", there)).isEqualTo(7);
        Versioned lost = new Versioned(there.value(), 3, StoreStamp.NONE);
        assertThatThrownBy(() -> StoredTerms.term("k", lost))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("k, and no identity any more");
        Versioned none = new Versioned(Optional.empty(), 0, StoreStamp.NONE);
        assertThat(StoredTerms.term("k", none)).isZero();
    }

    private static Coordinator connect(List<URI> endpoints) {
        return EtcdCoordinator.connect(EtcdSettings.of(endpoints, Duration.ofSeconds(24)));
    }

    private static void write(Coordinator store, PoolKeys keys, long term) {
        var unused = store.compareAndSet(keys.record(), 0, record(term)).outcome();
    }

    private static byte[] record(long term) {
        return ClusterRecordCodec.encode(
                new ClusterRecord(term, "a", new TreeSet<>(List.of("a")), 12, 0, "0".repeat(32)));
    }
}
