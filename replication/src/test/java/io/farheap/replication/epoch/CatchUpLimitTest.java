package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.journal.ReplicaState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A replica that comes back gets no more bytes a second than it may, and nobody waits for it. */
@Timeout(120)
class CatchUpLimitTest {
    private static final long PLACE = DegradingPool.PLACE;

    /** Of which 3 are lanes, which are not copied. */
    private static final long IMAGE = 9 << 20;

    private static final int CHANGES = 80;
    private static final long APART = 32 << 10;

    @TempDir private Path directory;

    private DegradingPool site;

    @AfterEach
    void end() {
        site.close();
    }

    /** A replica comes back that has nothing, on a target with new files. */
    private void comesBackEmpty(String limit) {
        open(limit);
        site.targets.lose(1);
        site.commit(PLACE, 1);
        await().until(() -> site.state(1) == State.LOST);
        site.replica(1).state = ReplicaState.NEW;
        site.replica(1).image.fill((byte) 0);
        site.replica(1).fresh = true;
        site.targets.gone.remove(1);
        await().until(() -> site.state(1) != State.LOST);
    }

    private void open(String limit) {
        site =
                new DegradingPool(
                        IMAGE,
                        directory,
                        SwitchRecorder.NONE,
                        ReplicaPolicy.DEGRADE,
                        ReplicaPolicy.DEGRADE);
        site.settings =
                ReplicationSettings.from(
                        Map.of(
                                "FARHEAP_CATCH_UP_LIMIT", limit,
                                "FARHEAP_COMMIT_TIMEOUT", "2s",
                                "FARHEAP_HEARTBEAT", "1s",
                                "FARHEAP_RETRY_PAUSE", "500ms",
                                "FARHEAP_FABRIC", "tcp"));
        site.reopen();
    }

    /** Places that lie near each other are read with what lies between them. */
    @Test
    void whatLiesBetweenTwoChangesTakesNoTime() {
        open("64K");
        site.targets.lose(1);
        for (int i = 0; i < CHANGES; i++) {
            site.commit(PLACE + i * APART, i + 1);
        }
        await().until(() -> site.state(1) == State.LOST);
        site.targets.gone.remove(1);
        // all that lies there is worth 40 s
        await().atMost(Duration.ofSeconds(15)).until(() -> site.state(1) == State.ATTACHED);
        site.sink.close();
        site.assertSame(1);
    }

    @Test
    @Tag("deep")
    void theCopyTakesTheTimeThatItsBytesAreWorth() {
        comesBackEmpty("2M");
        long begin = System.nanoTime();
        await().atMost(Duration.ofMinutes(1)).until(() -> site.state(1) == State.ATTACHED);
        // Of six pieces of a MiB the first is free, and behind the last one nothing is copied.
        assertThat(System.nanoTime() - begin).isGreaterThan(1_500_000_000L);
        site.commit(PLACE, 2);
        site.sink.close();
        site.assertSame(1);
    }

    @Test
    void whatIsLostMeanwhileIsDealtWithAtOnce() {
        comesBackEmpty("100K");
        assertThat(site.state(1)).isEqualTo(State.SYNCING);
        site.targets.lose(0);
        site.commit(PLACE, 2);
        await().atMost(Duration.ofSeconds(5)).until(() -> site.state(0) == State.LOST);
        site.commit(PLACE, 3);
        assertThat(site.state(1)).isNotEqualTo(State.ATTACHED);
    }

    @Test
    void aCloseDoesNotWaitForIt() {
        comesBackEmpty("1");
        assertThat(site.state(1)).isEqualTo(State.SYNCING);
        long begin = System.nanoTime();
        site.sink.close();
        assertThat(System.nanoTime() - begin).isLessThan(5_000_000_000L);
    }
}
