package io.farheap.agent.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.agent.records.RecordWriter;
import io.farheap.agent.store.ReplicaLife;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.agent.store.SimulatedReplica;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApplyLoopTest {
    private final SimulatedReplica replica = ReplicaLife.member();
    private final AtomicReference<RuntimeException> failure = new AtomicReference<>();

    private ApplyLoop startOver(PoolMemory image) {
        ReplicaStore store =
                new ReplicaStore(replica.journal, image, SimulatedReplica.UUID, "replica");
        long epoch = ReplicaLife.EPOCH;
        var unused = store.resume(epoch);
        RecordWriter writer =
                new RecordWriter(store.intake().ring(), epoch)
                        .set(0, SimulatedReplica.HEAP + 4096, 11);
        writer.empty(1);
        assertThat(store.intake().flush(0, writer.position())).isEqualTo(2);
        ApplyLoop loop = new ApplyLoop(store, failure::set);
        loop.start();
        return loop;
    }

    @Test
    void appliesWhatIsCommitted() throws Exception {
        ApplyLoop loop = startOver(replica.image);
        await().until(() -> replica.image.getLong(SimulatedReplica.HEAP + 4096) == 11);
        loop.stop();
        assertThat(failure).hasNullValue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tellsWhateverEndsIt(boolean error) throws Exception {
        Persistence broken =
                new Persistence() {
                    @Override
                    public void flush(long offset, long length) {}

                    @Override
                    public void fence() {
                        if (error) {
                            throw new InternalError("a fault while a mapped page was read");
                        }
                        throw new UnsupportedOperationException("a fault of our own");
                    }
                };
        ApplyLoop loop = startOver(new PoolMemory(replica.image.image(), broken));
        await().until(() -> failure.get() != null);
        assertThat(failure.get()).hasMessageContaining("fault");
        loop.stop();
        assertThat(replica.start().slot().appliedSequence()).isZero();
    }
}
