package io.farheap.agent.store;

import static io.farheap.agent.store.SimulatedReplica.HEAP;
import static io.farheap.agent.store.SimulatedReplica.IMAGE_BYTES;
import static io.farheap.agent.store.SimulatedReplica.LAYOUT;
import static io.farheap.agent.store.SimulatedReplica.UUID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.records.RecordWriter;
import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalMessages;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.testing.ForgetfulPages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The disk of an image fails, and the next agent finds in memory what never got there: equal to the
 * initiator's pages, so that nothing of it is sent again.
 */
class FailingDiskTest {
    private static final long L = 1000;
    private static final long N = 5000;
    private static final long N2 = 9000;
    private static final long A = HEAP + 4096;
    private static final long CHUNK = 4096;

    /** One in so many fences fails. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 4;

    private final SimulatedReplica replica = SimulatedReplica.fresh();
    private final MemorySegment pool = SimulatedReplica.emptyPool();
    private final MemorySegment answer = Arena.ofAuto().allocate(JournalMessages.MAX_BYTES, 8);
    private ForgetfulPages pages = new ForgetfulPages(replica.image.image());

    private ReplicaStore agent() {
        return new ReplicaStore(replica.journal, pages.open(), UUID, "replica");
    }

    private long onDisk(long offset) {
        return pages.disk().get(ValueLayout.JAVA_LONG, offset);
    }

    /** As an initiator that sends what differs by its checksums; returns how many bytes did. */
    private long sendWhatDiffers(ReplicaStore store, long from, long end) {
        long sent = 0;
        for (long at = from; at < end; at += CHUNK) {
            long length = Math.min(CHUNK, end - at);
            int unused = store.sumImage(answer, at, length, CHUNK);
            CRC32C here = new CRC32C();
            here.update(pool.asSlice(at, length).asByteBuffer());
            if (JournalMessages.sum(answer, 0, 0) != (int) here.getValue()) {
                store.switching().putImage(at, pool, at, length);
                sent += length;
            }
        }
        return sent;
    }

    private void assertDiskIsAsThePool() {
        assertThat(pages.disk().asSlice(HEAP).mismatch(pool.asSlice(HEAP)))
                .as("heap on the disk")
                .isEqualTo(-1);
        assertThat(
                        pages.disk()
                                .asSlice(Descriptor.OFFSET, 512)
                                .mismatch(pool.asSlice(Descriptor.OFFSET, 512)))
                .as("descriptor on the disk")
                .isEqualTo(-1);
    }

    @Test
    void whatApplyStoredAndCouldNotFlushIsStoredAgainBeforeAComparedCopyCounts() {
        ReplicaStore first = agent();
        SimulatedReplica.join(first, pool, L, N);
        RecordWriter writer = new RecordWriter(first.intake().ring(), N).set(0, A, 11).empty(1);
        assertThat(first.intake().flush(0, writer.position())).isEqualTo(2);
        pages.fail();
        assertThatThrownBy(first::applyBatch).hasMessageContaining("Input/output error");
        pages.recover();

        pool.set(ValueLayout.JAVA_LONG, A, 11); // the commit is the initiator's, too
        ReplicaStore second = agent();
        assertThat(second.switching().attach(L, N2, List.of(N), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.STALE);
        second.switching().startSync();
        assertThat(sendWhatDiffers(second, A, A + CHUNK)).as("bytes that differ").isZero();
        second.switching().syncComplete(N2, LAYOUT);
        second.switching().confirm(N2, false);
        assertThat(second.slot().state()).isEqualTo(ReplicaState.INSYNC);
        assertThat(onDisk(A)).as("on the disk of a replica that says INSYNC").isEqualTo(11);
    }

    @Test
    void aCopyThatCouldNotBeFlushedIsStoredAgainByTheNext() {
        fill();
        ReplicaStore first = agent();
        assertThat(first.switching().attach(L, N, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.NEW);
        first.switching().startSync();
        pages.fail();
        first.switching().putImage(0, pool, 0, Descriptor.END);
        first.switching().putImage(HEAP, pool, HEAP, IMAGE_BYTES - HEAP);
        assertThatThrownBy(() -> first.switching().syncComplete(N, LAYOUT))
                .isInstanceOf(FarheapException.class);
        pages.recover();
        assertThatThrownBy(() -> first.switching().syncComplete(N, LAYOUT))
                .as("a flush after one that failed only pretends")
                .isInstanceOf(FarheapException.class);

        ReplicaStore second = agent();
        assertThat(second.switching().attach(L, N2, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.SYNC_INTERRUPTED);
        second.switching().startSync();
        assertThat(sendWhatDiffers(second, HEAP, IMAGE_BYTES)).as("bytes that differ").isZero();
        second.switching().syncComplete(N2, LAYOUT);
        second.switching().confirm(N2, false);
        pool.asSlice(Descriptor.RUN_ID, 8)
                .copyFrom(pages.disk().asSlice(Descriptor.RUN_ID, 8)); // the copy's own
        assertDiskIsAsThePool();
    }

    /** Where a tail touches much, what is equal is not sent. */
    @Test
    void contentOfATailThatCouldNotBeFlushedIsStoredAgainBeforeAPreparedReplicaCounts() {
        ReplicaStore first = agent();
        SimulatedReplica.join(first, pool, L, N);
        RecordWriter writer = new RecordWriter(first.intake().ring(), N).set(0, A, 11);
        assertThat(first.intake().flush(0, writer.position())).isEqualTo(1);
        pool.set(ValueLayout.JAVA_LONG, A, 11);
        assertThat(first.switching().attach(N, N2, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.CURRENT);
        assertThat(first.switching().footprint()).containsExactly(new ByteRange(A, 8));
        first.switching().putImage(A, pool, A, 8);
        pages.fail();
        assertThatThrownBy(first.switching()::prepare).isInstanceOf(FarheapException.class);
        pages.recover();

        ReplicaStore second = agent();
        assertThat(second.switching().attach(N, N2 + 2, List.of(), SlotReport.NOT_KNOWN, false))
                .isEqualTo(AttachDecision.CURRENT);
        assertThat(second.switching().footprint()).containsExactly(new ByteRange(A, 8));
        assertThat(sendWhatDiffers(second, A, A + CHUNK)).as("bytes that differ").isZero();
        second.switching().prepare();
        second.switching().confirm(N2 + 2, false);
        assertThat(onDisk(A)).as("on the disk of a replica without a tail").isEqualTo(11);
    }

    /** The owner's program, too, may have lost what it could not flush. */
    @Test
    void aPromotedPoolIsStoredAgainWhereItIsOverwrittenByComparing() {
        ReplicaStore first = agent();
        SimulatedReplica.join(first, pool, L, N);
        assertThat(first.ownership().promote()).isZero();
        long owners = A + 2 * CHUNK;
        pages.fail();
        var unused = pages.open();
        unused.putLong(owners, 22);
        unused.flush(owners, 8);
        assertThatThrownBy(unused::fence).isInstanceOf(FarheapException.class);
        pages.recover();

        pool.set(ValueLayout.JAVA_LONG, owners, 22);
        ReplicaStore second = agent();
        var verdict = second.switching().attach(L, N2, List.of(), SlotReport.NOT_KNOWN, true);
        assertThat(verdict).isEqualTo(AttachDecision.TAKEN_OVER);
        second.switching().startSync();
        assertThat(sendWhatDiffers(second, HEAP, IMAGE_BYTES)).isZero();
        second.switching().syncComplete(N2, LAYOUT);
        assertThat(onDisk(owners)).isEqualTo(22);
    }

    /** What was durable is not written again: a return is as cheap as it was. */
    @Test
    void onlyWhatIsDoubtfulIsStoredAgain() {
        ReplicaStore first = agent();
        SimulatedReplica.join(first, pool, L, N);
        pages = new ForgetfulPages(pages.disk());
        ReplicaStore second = agent();
        var unused = second.switching().attach(L, N2, List.of(N), SlotReport.NOT_KNOWN, false);
        second.switching().startSync();
        assertThat(sendWhatDiffers(second, HEAP, IMAGE_BYTES)).isZero();
        assertThat(pages.dirtyPages()).isZero();
    }

    /** Each fence of image and journal fails, by itself, in the life of a replica. */
    @ParameterizedTest
    @Tag("sliced")
    @ValueSource(booleans = {true, false})
    void noFailedFenceCostsACommitOrIsForgotten(boolean evicts) {
        int failures = 0;
        int checks = 0;
        int failing = evicts ? 1 : 1 + STRIDE / 2;
        FailingLife life;
        do {
            life = new FailingLife(failing, evicts);
            life.run();
            failing += STRIDE;
            failures += life.hasFailed() ? 1 : 0;
            checks += life.checks();
        } while (life.hasFailed());
        System.out.printf(
                "fences that failed: %d (pages %s), power losses checked: %d%n",
                failures, evicts ? "evicted" : "kept", checks);
        assertThat(failures).isGreaterThan(STRIDE == 1 ? 40 : 8);
    }

    private void fill() {
        for (long at = HEAP; at < IMAGE_BYTES; at += 512) {
            pool.set(ValueLayout.JAVA_LONG, at, at * 31);
        }
    }
}
