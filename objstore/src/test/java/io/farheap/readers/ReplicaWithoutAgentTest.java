package io.farheap.readers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.ReplicaPool;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.PoolSource;
import io.farheap.pool.ReplicaImage;
import io.farheap.testing.LinuxCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What readers make of a file whose agent is gone, or went with the machine. */
@LinuxCalls("a replica can't be read")
class ReplicaWithoutAgentTest {
    private static final String LAYOUT = "readers";
    private static final Duration HOLD = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration FOR_EVER = Duration.ofDays(36_500);
    private static final long SECOND = 1_000_000_000;

    @TempDir Path directory;
    private Path set;
    private ReadersFile file;
    private ReadAdmission agent;

    @BeforeEach
    void aReplica() throws IOException {
        set = directory.resolve("copy.set");
        Path part = directory.resolve("copy.part0");
        Files.writeString(set, "PMEMPOOLSET\n8M " + part + "\n");
        ObjectPool.create(set, LAYOUT).close();
        PoolUuid pool;
        try (ReplicaImage image = ReplicaImage.open(PoolSource.of(set))) {
            pool = image.poolsetUuid();
        }
        file = ReadersFile.take(directory.resolve("copy.part0.readers"), pool, 0600);
        agentComes();
    }

    @AfterEach
    void closeFile() {
        file.close();
    }

    private void agentComes() {
        agent = ReadAdmission.of(file, HOLD);
        agent.open(10, 0);
        agent.fresh(System.nanoTime());
    }

    /** As a kill leaves it: nothing but its life tells that. */
    private void agentIsKilled() {
        try {
            Process gone = new ProcessBuilder("true").start();
            gone.waitFor();
            file.set(ReadersLayout.AGENT, gone.pid());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private ReplicaPool open() {
        return ObjectPool.openReplica(set, LAYOUT);
    }

    private static Boolean read(ReplicaPool reader) {
        return reader.read(view -> view.raw() != null);
    }

    private static void refused(ThrowingCallable read) {
        assertThatThrownBy(read)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT))
                .hasMessageContaining("has no agent now");
    }

    /** Its agent is looked for no more often than so that this costs nothing. */
    private static void refusedBeforeLong(ThrowingCallable read) {
        Awaitility.await().atMost(LONG).untilAsserted(() -> refused(read));
    }

    @Test
    void oneThatWasKilledWhileItCouldBeReadIsMissed() {
        try (ReplicaPool reader = open()) {
            assertThat(read(reader)).isTrue();
            agentIsKilled();
            refusedBeforeLong(() -> read(reader));
            refused(() -> open().close());
            agentComes();
            assertThat(read(reader)).isTrue();
        }
    }

    @Test
    void whatARestartOfTheMachineLeavesIsNotRead() {
        long boot = file.get(ReadersLayout.AGENT_BOOT);
        assertThat(boot).isNotZero();
        try (ReplicaPool reader = open()) {
            file.set(ReadersLayout.AGENT_BOOT, boot + 1);
            refusedBeforeLong(() -> read(reader));
            refused(() -> open().close());
            assertThat(reader.age()).isGreaterThan(FOR_EVER);
            file.set(ReadersLayout.AGENT_BOOT, 0);
            assertThat(read(reader)).as("with an agent that tells of no boot").isTrue();
            assertThat(reader.age()).isLessThan(LONG);
        }
    }

    @Test
    void anAgeFromAMomentToComeIsUnknown() {
        try (ReplicaPool reader = open()) {
            agent.fresh(System.nanoTime() + 1000 * SECOND);
            assertThat(reader.age()).isGreaterThan(FOR_EVER);
            Duration bound = Duration.ofMillis(20);
            assertThatThrownBy(() -> reader.read(HOLD, bound, view -> view.raw() != null))
                    .hasMessageContaining("than the 1000 ms that were asked for, for all that its");
            assertThat(read(reader)).isTrue();
            agent.fresh(System.nanoTime() - 5 * SECOND);
            assertThatThrownBy(() -> reader.read(HOLD, bound, view -> view.raw() != null))
                    .hasMessageContaining("than the 1000 ms that were asked for, by 4");
            agent.fresh(System.nanoTime());
            boolean isRead = reader.read(LONG, bound, view -> view.raw() != null);
            assertThat(isRead).isTrue();
        }
    }

    @Test
    void theNextAgentDoesNotGoOnWithTheAgeThatTheOneBeforeTold() {
        try (ReplicaPool reader = open()) {
            agent = ReadAdmission.of(file, HOLD);
            agent.open(12, 0);
            assertThat(reader.age()).isGreaterThan(FOR_EVER);
        }
    }

    @Test
    void aViewBehindOneThatWasRefusedIsSeenByTheAgent() {
        try (ReplicaPool reader = open()) {
            agent.close();
            agentIsKilled();
            refusedBeforeLong(() -> read(reader));
            agentComes();
            boolean applied = reader.read(view -> agent.tryShut(false));
            assertThat(applied).as("while it is read").isFalse();
            assertThat(agent.tryShut(false)).as("when nobody reads").isTrue();
            assertThat(agent.evictions()).isZero();
            agent.reopen(10, 1);
        }
    }

    @Test
    void thoseThatCouldNotBeOpenedTakeNothingFromOthers() {
        agent.close();
        agentIsKilled();
        for (int i = 0; i < 200; i++) {
            refused(() -> open().close());
        }
        agentComes();
        try (ReplicaPool reader = open()) {
            assertThat(read(reader)).isTrue();
        }
        for (int i = 0; i < ReadersLayout.SLOTS; i++) {
            long holder = file.get(ReadersLayout.holder(i));
            assertThat(ReadersLayout.pid(holder)).as("slot %d", i).isZero();
        }
    }
}
