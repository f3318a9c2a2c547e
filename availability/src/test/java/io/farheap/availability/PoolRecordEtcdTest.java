package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.RecordOutcome.Kind;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.etcd.EtcdCoordinator;
import io.farheap.availability.etcd.EtcdProcesses;
import io.farheap.availability.etcd.EtcdSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The record in three real members of etcd. */
class PoolRecordEtcdTest {
    private static final PoolKeys KEYS = new PoolKeys("cluster", "pool");

    @TempDir private Path directory;

    /** Remembers. */
    private static final class Stamps implements SeenStamps {
        private StoreStamp newest;

        @Override
        public Optional<StoreStamp> newest() {
            return Optional.ofNullable(newest);
        }

        @Override
        public void keep(StoreStamp stamp) {
            newest = stamp;
        }
    }

    @Test
    void aTakeOverEndsTheTermOfTheWriterBefore() throws Exception {
        try (EtcdProcesses etcd = EtcdProcesses.start(directory);
                Coordinator ofA = connect(etcd);
                Coordinator ofB = connect(etcd)) {
            PoolRecord a = new PoolRecord(ofA, KEYS, "a", new Stamps(), new Random(1));
            PoolRecord b = new PoolRecord(ofB, KEYS, "b", new Stamps(), new Random(2));

            assertThat(a.create(100, 0).kind()).isEqualTo(Kind.RECORDED);
            assertThat(b.takeOver(new OwnCopy(true, 100, 0)).kind()).isEqualTo(Kind.NOT_ALLOWED);
            assertThat(a.record(new TreeSet<>(List.of("a", "b")), 200).kind())
                    .isEqualTo(Kind.RECORDED);
            assertThat(b.takeOver(new OwnCopy(true, 100, 200)).kind()).isEqualTo(Kind.RECORDED);
            assertThat(a.record(new TreeSet<>(List.of("a")), 300).kind()).isEqualTo(Kind.OVER);
            assertThat(b.record(new TreeSet<>(List.of("b")), 300).kind()).isEqualTo(Kind.RECORDED);

            assertThat(b.look()).isEqualTo(b.mine());
            assertThat(b.mine().orElseThrow().term()).isEqualTo(2);
        }
    }

    private static Coordinator connect(EtcdProcesses etcd) {
        return EtcdCoordinator.connect(EtcdSettings.of(etcd.endpoints(), Duration.ofSeconds(24)));
    }
}
