package io.farheap.replication.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.ReplicaPolicy;
import io.farheap.replication.FakeTarget;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records of many socket buffers leave for all members at the same time. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LongRecordTest {
    private static final long EPOCH = 42;
    private static final int RING = 128 << 20;
    private static final int LONG_RECORD = 24 << 20;

    private final MemorySegment staging = Arena.ofAuto().allocate(RING, 64);
    private final MemorySegment content = Arena.ofAuto().allocate(LONG_RECORD, 64).fill((byte) 7);
    private final FakeTarget deaf = target();
    private final FakeTarget reading = target();

    /** The first member: whoever waits, waits for this one. */
    private final LongTurns turns = new LongTurns(deaf.connection);

    private final CommitStream stream =
            new CommitStream(
                    EPOCH,
                    staging,
                    List.of(
                            new StreamMember("deaf bank.set", turns, ReplicaPolicy.FAIL),
                            reading.link("reading bank.set")),
                    CommitStreamTest.QUIET,
                    () -> {});

    private FakeTarget target() {
        return new FakeTarget(EPOCH, staging, RING, DurabilityMethod.GPSPM);
    }

    @AfterEach
    void close() {
        turns.letGo();
        deaf.deaf = false;
        stream.abandon();
        deaf.close();
        reading.close();
        assertThat(reading.problem).isNull();
    }

    private Thread committing(int length) {
        return Thread.ofPlatform()
                .start(
                        () -> {
                            long sequence =
                                    stream.append(
                                            RecordEntries.copyEntryBytes(length),
                                            to -> to.copy(0, content, 0, length));
                            stream.awaitDurable(sequence);
                            stream.committed(sequence);
                        });
    }

    @Test
    void oneThatReadsNothingDoesNotHoldTheOtherUp() throws Exception {
        deaf.becomeDeaf();
        Thread committer = committing(LONG_RECORD);

        await().until(() -> reading.lastRecord() == 1);

        assertThat(deaf.lastRecord()).isZero();
        deaf.deaf = false;
        turns.letGo();
        committer.join();
        assertThat(deaf.lastRecord()).isEqualTo(1);
    }

    @Test
    void norWhenItIsPostedWhileSomebodyWaits() throws Exception {
        deaf.becomeDeaf();
        Thread first = committing(64);
        await().until(() -> reading.lastRecord() == 1 && turns.awaited);
        Thread second = committing(LONG_RECORD);

        await().until(() -> reading.lastRecord() == 2);

        deaf.deaf = false;
        turns.letGo();
        first.join();
        second.join();
        assertThat(deaf.lastRecord()).isEqualTo(2);
    }
}
