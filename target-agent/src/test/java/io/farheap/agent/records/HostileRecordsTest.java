package io.farheap.agent.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.store.ReplicaLife;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.agent.store.SimulatedReplica;
import io.farheap.base.FarheapException;
import io.farheap.fuzz.Inputs;
import io.farheap.layout.Descriptor;
import io.farheap.replication.control.ByteRange;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an initiator can do to the records that are at work here. */
class HostileRecordsTest {
    /** The ring is open to its initiator's stores at any time. */
    @Test
    void aRecordOverwrittenWhileItIsAppliedLeavesItsBoundsNowhere() {
        SimulatedReplica replica = ReplicaLife.member();
        ReplicaStore store = replica.start();
        long heap = SimulatedReplica.HEAP;
        RecordWriter good =
                new RecordWriter(store.intake().ring(), ReplicaLife.EPOCH).set(0, heap, 1);
        ImageBounds bounds = new ImageBounds(heap, SimulatedReplica.IMAGE_BYTES);
        RecordCursor cursor =
                new RecordCursor(store.intake().ring(), bounds, SimulatedReplica.IMAGE_BYTES);
        cursor.moveTo(ReplicaLife.EPOCH, 0, 0);
        assertThat(cursor.peek(good.position())).isTrue();
        long before = replica.image.getLong(Descriptor.RUN_ID);
        RecordWriter bad = new RecordWriter(store.intake().ring(), ReplicaLife.EPOCH);
        assertThat(bad.set(0, Descriptor.RUN_ID, before + 2).position()).isEqualTo(good.position());
        assertThatThrownBy(() -> cursor.replay(new ImageWriter(replica.image, bounds)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("neither in the heap");
        assertThat(replica.image.getLong(Descriptor.RUN_ID)).isEqualTo(before);
    }

    /** A journal of a gigabyte holds 64 million words; none of them may become an object. */
    @Test
    void aFootprintTakesFewBytesForEachRange() throws Exception {
        int words = 300_000;
        Inputs.bounded(
                60,
                words * 150L,
                () -> {
                    FootprintCollector collector = new FootprintCollector();
                    for (int i = 0; i < words; i++) {
                        collector.set(16L * (words - i), 1);
                    }
                    List<ByteRange> ranges = collector.ranges();
                    assertThat(ranges).hasSize(words);
                    assertThat(ranges.get(1)).isEqualTo(new ByteRange(32, 8));
                });
    }
}
