package io.farheap.replication.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import io.farheap.base.PoolPosition;
import io.farheap.base.Ref;
import io.farheap.base.ReplicaStatus;
import io.farheap.engine.TxSettings;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.FakeTarget;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.SinkCounters;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.support.MemoryPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a transaction costs with replicas, from the API to the wire of the tcp fabric: however many
 * ranges it changes, one wait and one doorbell for each replica, and three local fences.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommitCostTest {
    private static final long EPOCH = 42;
    private static final int RING = 1 << 20;
    private static final int TRANSACTIONS = 20;
    private static final long POOL_BYTES = 8 << 20;
    private static final TxSettings SETTINGS =
            new TxSettings(Duration.ofSeconds(30), Duration.ofSeconds(30), 16);

    /** Nothing but commits travels: no empty record, no heartbeat. */
    private static final StreamSettings QUIET =
            new StreamSettings(
                    Duration.ofSeconds(20),
                    new WaitStrategy(5_000, 50_000),
                    2,
                    Duration.ofDays(1),
                    LagBound.DEFAULT);

    private final List<FakeTarget> targets = new ArrayList<>();
    private CommitStream stream;

    private ObjectPool open(int replicas) {
        MemorySegment staging = Arena.ofAuto().allocate(RING, 64);
        List<StreamMember> links = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            FakeTarget target = new FakeTarget(EPOCH, staging, 8 << 20);
            targets.add(target);
            links.add(target.link("host" + i + " bank.set"));
        }
        stream = new CommitStream(EPOCH, staging, links, QUIET, () -> {});
        PoolMemory memory = new CrashSimulation(POOL_BYTES).memory();
        MemoryPool.format(memory, "test");
        return MemoryPool.open(memory, SETTINGS, 1, (found, committed) -> new Sink(stream));
    }

    @AfterEach
    void close() {
        stream.abandon();
        targets.forEach(FakeTarget::close);
        targets.forEach(target -> assertThat(target.problem).isNull());
    }

    private record Sink(CommitStream stream) implements ReplicaSink {
        @Override
        public long imageBytes() {
            return Long.MAX_VALUE;
        }

        @Override
        public long maxEntryBytes() {
            return stream.maxEntryBytes();
        }

        @Override
        public long pieceEntryBytes() {
            return maxEntryBytes();
        }

        @Override
        public long append(long entryBytes, RecordSource source) {
            return stream.append(entryBytes, source);
        }

        @Override
        public long awaitDurable(long ticket, long entryBytes, RecordSource source) {
            stream.awaitDurable(ticket);
            return ticket;
        }

        @Override
        public void committed(long ticket, RecordSource source) {
            stream.committed(ticket);
        }

        @Override
        public void undoing() {}

        @Override
        public void undone(RecordSource source) {}

        @Override
        public void undoFailed() {}

        @Override
        public void rolledBack(long ticket) {
            stream.rolledBack(ticket);
        }

        @Override
        public void broken(long ticket) {
            stream.broken(ticket);
        }

        @Override
        public List<ReplicaStatus> replicas() {
            return List.of();
        }

        @Override
        public PoolPosition position() {
            return new PoolPosition(0, 0);
        }

        @Override
        public SinkCounters counters() {
            return SinkCounters.NONE; // each replica is looked at by itself
        }

        @Override
        public void close() {
            stream.drain(Duration.ofSeconds(20));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 64, 3",
        "1, 4, 64, 3",
        "1, 16, 64, 3",
        "1, 17, 64, 3", // in the undo log's extension, which the lane keeps
        "1, 1, 4096, 3",
        "2, 1, 64, 3",
        "2, 16, 64, 3",
        "3, 4, 64, 3"
    })
    void isOneWaitAndOneDoorbellForEachReplicaWhateverItChanges(
            int replicas, int ranges, int rangeBytes, int fences) {
        try (ObjectPool pool = open(replicas)) {
            Ref object = pool.compute(tx -> tx.allocateZeroed(16 << 10, 7));
            change(pool, object, 17, 64); // the lane links its extension now
            PoolCounters local = pool.counters();
            List<FabricCounters> before = stream.counters();
            long begin = System.nanoTime();

            for (int i = 0; i < TRANSACTIONS; i++) {
                change(pool, object, ranges, rangeBytes);
            }

            assertThat(pool.counters().fences() - local.fences())
                    .as("local fences")
                    .isEqualTo((long) fences * TRANSACTIONS);
            assertThat(pool.counters().durabilityWaits() - local.durabilityWaits())
                    .as("waits of the transaction")
                    .isEqualTo(TRANSACTIONS);
            assertCosts(before, stream.counters(), System.nanoTime() - begin);
        }
    }

    private static void change(ObjectPool pool, Ref object, int ranges, int rangeBytes) {
        byte[] value = new byte[rangeBytes];
        pool.transaction(
                tx -> {
                    for (int i = 0; i < ranges; i++) {
                        tx.writeBytes(object, 2L * i * rangeBytes, value);
                    }
                });
    }

    private static void assertCosts(
            List<FabricCounters> before, List<FabricCounters> after, long nanos) {
        long inVain =
                nanos / DurabilityWaiter.TURN_NANOS; // who has waited for a turn waits once more
        for (int i = 0; i < after.size(); i++) {
            FabricCounters was = before.get(i);
            FabricCounters is = after.get(i);
            assertThat(is.doorbells() - was.doorbells()).as("doorbells").isEqualTo(TRANSACTIONS);
            assertThat(is.workRequests() - was.workRequests())
                    .as("a WRITE and a SEND")
                    .isEqualTo(2 * TRANSACTIONS);
            assertThat(is.completions() - was.completions()).as("answers").isEqualTo(TRANSACTIONS);
            // Who waits for the slowest finds the others' answers by polling.
            assertThat(is.waits() - was.waits())
                    .as("waits")
                    .isLessThanOrEqualTo(TRANSACTIONS + inVain);
        }
    }
}
