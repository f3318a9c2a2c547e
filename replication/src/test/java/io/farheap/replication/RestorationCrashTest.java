package io.farheap.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.dirty.DirtyMapFiles;
import io.farheap.replication.epoch.EpochSwitch;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.replication.stream.FakeReplica;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The machine that gets its pool back loses power at every step: what can be opened there is the
 * old pool, or all of the promoted one under the number that its agent knows.
 */
@Timeout(120)
class RestorationCrashTest {
    private static final long IMAGE = (5 << 20) + 4096;
    private static final long OLD = 700;
    private static final long PIECE = 64 << 10;

    /** What is left out. */
    private enum Mistake {
        NONE,
        NO_MARKER,
        MARKER_NOT_FLUSHED,
        COPY_NOT_FLUSHED
    }

    private final FakeTargets targets = new FakeTargets(1, IMAGE);
    private final FakeReplica replica = targets.replicas.get(0);
    private final CrashSimulation machine = new CrashSimulation(IMAGE);
    private final Random random = new Random(20_261_122);

    /** How often power is lost where luck decides. */
    private int lost = 30;

    private int crashes;
    private int pieces;

    /** A pool whose header is one word: whether it is valid. */
    private final class OnePart implements Restoration.Place {
        private final Mistake mistake;
        private final PoolMemory memory = machine.memory();

        OnePart(Mistake mistake) {
            this.mistake = mistake;
        }

        @Override
        public MemorySegment begin() {
            if (mistake != Mistake.NO_MARKER) {
                memory.putLong(0, 0);
                if (mistake != Mistake.MARKER_NOT_FLUSHED) {
                    memory.persist(0, Long.BYTES);
                }
            }
            return memory.image();
        }

        @Override
        public void finish(long runId) {
            memory.putLong(Descriptor.RUN_ID, runId);
            if (mistake != Mistake.COPY_NOT_FLUSHED) {
                memory.persist(Long.BYTES, IMAGE - Long.BYTES);
            }
        }

        @Override
        public void open() {
            memory.putLong(0, 1);
            memory.persist(0, Long.BYTES);
        }
    }

    private void failBack(Mistake mistake) throws InterruptedException {
        FakePool pool = new FakePool(targets.remotes(), IMAGE, 5);
        for (long at = Descriptor.DEFAULT_HEAP_OFFSET; at < IMAGE; at += PIECE) {
            pool.image.set(ValueLayout.JAVA_LONG, at, at + 1);
        }
        Fabrics fabrics = Fabrics.only(new TcpFabric(WaitStrategy.BLOCKING));
        new EpochSwitch(
                        pool,
                        ReplicationSettings.DEFAULTS,
                        targets,
                        fabrics,
                        new Random(),
                        new DirtyMapFiles(pool))
                .atOpen(AttachOptions.NONE)
                .forEach(ReplicaSession::abandon);
        PoolMemory old = machine.memory();
        old.putLong(Descriptor.RUN_ID, OLD);
        for (long at = Descriptor.DEFAULT_HEAP_OFFSET; at < IMAGE; at += PIECE) {
            old.putLong(at, at + 2);
        }
        old.persist(0, IMAGE);
        old.putLong(0, 1);
        old.persist(0, Long.BYTES);
        machine.beforeEachStep(this::crashHere);
        RemoteReplicaClient client =
                new RemoteReplicaClient(
                        replica.remote, 0, ReplicationSettings.DEFAULTS, targets, fabrics);
        try (Restoration restoration = client.restore(false)) {
            restoration.into(new OnePart(mistake), (remote, done, total) -> afterAPiece());
        }
        crashHere();
        loseAtRandom();
    }

    private void afterAPiece() {
        if (pieces++ < 2) {
            loseAtRandom();
        }
    }

    /** Whether one word of many is lost and another is not is a matter of luck. */
    private void loseAtRandom() {
        for (int i = 0; i < lost; i++) {
            crash(Loss.RANDOM);
        }
    }

    private void crashHere() {
        crash(Loss.ALL);
        crash(Loss.NONE);
        crash(Loss.RANDOM);
    }

    private void crash(Loss loss) {
        crashes++;
        MemorySegment left = machine.crash(loss, random).memory().image();
        if (left.get(ValueLayout.JAVA_LONG, 0) != 0) {
            assertIsAPool(left, loss);
        }
    }

    private void assertIsAPool(MemorySegment left, Loss loss) {
        long runId = left.get(ValueLayout.JAVA_LONG, Descriptor.RUN_ID);
        boolean isOld = runId == OLD;
        if (!isOld) {
            assertThat(runId).as("number after %s", loss).isEqualTo(replica.next);
        }
        for (long at = Descriptor.DEFAULT_HEAP_OFFSET; at < IMAGE; at += PIECE) {
            assertThat(left.get(ValueLayout.JAVA_LONG, at))
                    .as("word %s of number %s after %s", at, runId, loss)
                    .isEqualTo(isOld ? at + 2 : at + 1);
        }
    }

    @Test
    @Tag("sliced")
    void everyCrashLeavesTheOldPoolNoneOrAllOfThePromotedOne() throws Exception {
        lost = Boolean.getBoolean("test.deep") ? lost : 6;
        failBack(Mistake.NONE);
        assertThat(crashes).isGreaterThan(20);
        MemorySegment now = machine.durable();
        assertThat(now.get(ValueLayout.JAVA_LONG, 0)).isOne();
        assertThat(now.get(ValueLayout.JAVA_LONG, Descriptor.RUN_ID)).isEqualTo(replica.next);
    }

    @ParameterizedTest
    @EnumSource(names = {"NO_MARKER", "MARKER_NOT_FLUSHED", "COPY_NOT_FLUSHED"})
    void nothingOfItCanBeLeftOut(Mistake mistake) {
        assertThatThrownBy(() -> failBack(mistake)).hasMessageContaining("number");
    }
}
