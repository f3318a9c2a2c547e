package io.farheap.availability.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.CoordinatorContract;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreStamp;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three real members of etcd keep the contract. */
class EtcdCoordinatorTest extends CoordinatorContract {
    private static final Duration TTL = Duration.ofSeconds(6);

    /** Requests have a sixth of it: beside other tests one may take long. */
    private static final Duration PATIENT = Duration.ofSeconds(24);

    @TempDir static Path directory;
    private static EtcdProcesses etcd;

    @BeforeAll
    static void start() throws Exception {
        etcd = EtcdProcesses.start(directory);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (etcd != null) {
            etcd.close();
        }
    }

    @Override
    protected Coordinator connect() {
        return etcd.connect(PATIENT);
    }

    /** Two ttls: without the requests that keep it alive it would be gone. */
    @Test
    @Tag("deep")
    void whoIsPresentStaysSoForMuchLongerThanTheTtl() {
        Duration ttl = Duration.ofSeconds(5);
        try (Coordinator client = etcd.connect(TTL);
                Coordinator patient = connect()) {
            Presence present = client.announce("alive", bytes("me"), ttl).orElseThrow();
            await().during(ttl.multipliedBy(3).dividedBy(2))
                    .atMost(ttl.multipliedBy(4))
                    .until(() -> !present.isLost() && patient.present("alive").isPresent());
        }
    }

    /**
     * The lease ends in etcd; its holder hears it from the next answer, in which a field is
     * missing.
     */
    @Test
    void whoseLeaseIsGoneHearsIt() throws Exception {
        try (Coordinator client = connect();
                EtcdClient other = new EtcdClient(etcd.settings(TTL))) {
            Duration ttl = Duration.ofSeconds(20);
            Presence present = client.announce("revoked", bytes("me"), ttl).orElseThrow();
            long lease =
                    other.ask(
                            "/v3/kv/range",
                            EtcdMessages.range("revoked"),
                            (answer, mayBeDone) -> EtcdMessages.leaseOf(answer));
            StoreStamp revoked =
                    other.ask(
                            "/v3/lease/revoke",
                            EtcdMessages.lease(lease),
                            (answer, mayBeDone) -> EtcdMessages.stamp(answer));

            assertThat(revoked.revision()).isPositive();
            assertThat(client.present("revoked")).isEmpty();
            await().atMost(Duration.ofSeconds(15)).until(present::isLost); // by its clock in 20
        }
    }
}
