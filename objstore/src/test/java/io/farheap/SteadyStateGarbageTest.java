package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.farheap.base.AllocationOptions;
import io.farheap.base.PoolPosition;
import io.farheap.base.Ref;
import io.farheap.base.ReplicaStatus;
import io.farheap.engine.PoolEngine;
import io.farheap.layout.Descriptor;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.AtomicObjects;
import io.farheap.pmemobj.NewObject;
import io.farheap.pmemobj.ObjectList;
import io.farheap.pmemobj.PoolCondition;
import io.farheap.pmemobj.PoolMutex;
import io.farheap.pmemobj.PoolReadWriteLock;
import io.farheap.pmemobj.VolatileValue;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.SinkCounters;
import io.farheap.testing.LinuxCalls;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Commits allocate nothing once warm: no pause of a collector stands in their way. This module's
 * tests run without escape analysis, so that nothing depends on what the compiler happens to
 * inline.
 */
class SteadyStateGarbageTest {
    private static final int ROUNDS = 20_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final Supplier<String> MADE = () -> "made";

    private static final Persistence NONE =
            new Persistence() {
                @Override
                public void flush(long offset, long length) {}

                @Override
                public void fence() {}
            };

    /** Takes records and remembers nothing. */
    private static final class SilentSink implements ReplicaSink, RecordEntries {
        private long entries;

        @Override
        public long imageBytes() {
            return Long.MAX_VALUE;
        }

        @Override
        public long maxEntryBytes() {
            return 1 << 20;
        }

        @Override
        public long pieceEntryBytes() {
            return maxEntryBytes();
        }

        @Override
        public long append(long entryBytes, RecordSource source) {
            source.writeTo(this);
            return 1;
        }

        @Override
        public long awaitDurable(long ticket, long entryBytes, RecordSource source) {
            return ticket;
        }

        @Override
        public void committed(long ticket, RecordSource source) {
            source.writeTo(this);
        }

        @Override
        public void undoing() {}

        @Override
        public void undone(RecordSource source) {
            source.writeTo(this);
        }

        @Override
        public void undoFailed() {}

        @Override
        public void rolledBack(long ticket) {}

        @Override
        public void broken(long ticket) {}

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
            return SinkCounters.NONE;
        }

        @Override
        public void close() {}

        @Override
        public void set(long offset, long value) {
            entries++;
        }

        @Override
        public void and(long offset, long mask) {
            entries++;
        }

        @Override
        public void or(long offset, long mask) {
            entries++;
        }

        @Override
        public void copy(long offset, MemorySegment source, long sourceOffset, long length) {
            entries++;
        }
    }

    private static ObjectPool open(ReplicaSink sink) {
        PoolMemory memory = new PoolMemory(Arena.ofAuto().allocate(SimulatedPool.SIZE, 64), NONE);
        Descriptor descriptor = new Descriptor(memory);
        descriptor.format("garbage");
        PoolOpening.format(memory);
        descriptor.seal();
        PoolEngine.Attachment attachment = sink == null ? null : (unused, committed) -> sink;
        return ObjectPool.over(
                PoolEngine.open(memory, SimulatedPool.SETTINGS, attachment), SimulatedPool.POOL_ID);
    }

    private static double bytesPerCommit(ObjectPool pool, TransactionBody<RuntimeException> body) {
        return bytesPerCall(() -> pool.transaction(body));
    }

    private static double bytesPerCall(Runnable call) {
        double best = Double.MAX_VALUE;
        for (int attempt = 0; attempt < 10 && best >= 1; attempt++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < ROUNDS; i++) {
                call.run();
            }
            long after = THREADS.getCurrentThreadAllocatedBytes();
            best = Math.min(best, (after - before) / (double) ROUNDS);
        }
        return best;
    }

    private static TransactionBody<RuntimeException> oneRange(long object) {
        MemorySegment value = MemorySegment.ofArray(new byte[64]);
        return tx -> tx.raw().writeBytes(object, 0, value, 0, 64);
    }

    @Test
    void aTransactionOfOneRange() {
        try (ObjectPool pool = open(null)) {
            long root = pool.root(4096).offset();
            assertThat(bytesPerCommit(pool, oneRange(root))).isLessThan(1);
        }
    }

    @Test
    void aTransactionWithAReplica() {
        SilentSink sink = new SilentSink();
        try (ObjectPool pool = open(sink)) {
            long root = pool.root(4096).offset();
            assertThat(bytesPerCommit(pool, oneRange(root))).isLessThan(1);
            assertThat(sink.entries).isGreaterThan(ROUNDS);
        }
    }

    @Test
    void aTransactionOfSixteenRangesReadingItsOwnWrites() {
        try (ObjectPool pool = open(null)) {
            long root = pool.root(4096).offset();
            assertThat(
                            bytesPerCommit(
                                    pool,
                                    tx -> {
                                        for (int i = 15; i >= 0; i--) {
                                            tx.raw()
                                                    .setLong(
                                                            root,
                                                            128L * i,
                                                            tx.raw().getLong(root, 0) + i);
                                        }
                                    }))
                    .isLessThan(1);
        }
    }

    @Test
    void anAllocationAndAFree() {
        try (ObjectPool pool = open(new SilentSink())) {
            long root = pool.root(4096).offset();
            assertThat(
                            bytesPerCommit(
                                    pool,
                                    tx -> {
                                        long old = tx.raw().getRef(root, 0);
                                        if (old != 0) {
                                            tx.raw().free(old);
                                        }
                                        long fresh = tx.raw().allocate(64, 1, true);
                                        tx.raw().setRef(root, 0, fresh);
                                    }))
                    .isLessThan(1);
        }
    }

    @Test
    void anObjectMovedToOtherSizes() {
        try (ObjectPool pool = open(new SilentSink())) {
            long root = pool.root(4096).offset();
            long[] size = {64};
            pool.transaction(tx -> tx.raw().setRef(root, 0, tx.raw().allocate(64, 1, true)));
            assertThat(
                            bytesPerCommit(
                                    pool,
                                    tx -> {
                                        long old = tx.raw().getRef(root, 0);
                                        size[0] = size[0] == 64 ? 9000 : 64;
                                        long moved = tx.raw().allocate(size[0], 1, true);
                                        tx.raw().free(old);
                                        tx.raw().setRef(root, 0, moved);
                                    }))
                    .isLessThan(1);
        }
    }

    @Test
    void aTransactionThatNeedsAnExtensionOfTheUndoLog() {
        MemorySegment value = MemorySegment.ofArray(new byte[4000]);
        try (ObjectPool pool = open(new SilentSink())) {
            long root = pool.root(4096).offset();
            assertThat(bytesPerCommit(pool, tx -> tx.raw().writeBytes(root, 0, value, 0, 4000)))
                    .isLessThan(1);
        }
    }

    @Test
    void transactionsWhoseRangesHaveOtherLengthsEachTime() {
        MemorySegment value = MemorySegment.ofArray(new byte[4000]);
        int[] length = {1};
        try (ObjectPool pool = open(null)) {
            long root = pool.root(4096).offset();
            assertThat(
                            bytesPerCommit(
                                    pool,
                                    tx -> {
                                        length[0] = length[0] * 7 % 3989;
                                        long at = 0;
                                        while (at + length[0] <= 4000) {
                                            tx.raw().writeBytes(root, at, value, 0, length[0]);
                                            at += length[0] + 100;
                                        }
                                    }))
                    .isLessThan(1);
        }
    }

    @Test
    void aNestedTransactionWithALock() {
        TransactionLock lock = new TransactionLock();
        try (ObjectPool pool = open(null)) {
            long root = pool.root(4096).offset();
            TransactionBody<RuntimeException> inner =
                    tx -> tx.raw().setLong(root, 8, tx.raw().getLong(root, 8) + 1);
            assertThat(
                            bytesPerCommit(
                                    pool,
                                    tx -> {
                                        tx.lock(lock);
                                        tx.raw().setInt(root, 0, 1);
                                        pool.transaction(inner);
                                    }))
                    .isLessThan(1);
        }
    }

    @Test
    @LinuxCalls("mappings of Java are synced by objects")
    void aTransactionOfAPoolInFilesWithALocalReplica(@TempDir Path directory) throws IOException {
        Path set = directory.resolve("mirrored.set");
        Files.writeString(
                set,
                "PMEMPOOLSET\n8M %1$s/master.part\nREPLICA\n8M %1$s/mirror.part\n"
                        .formatted(directory));
        try (ObjectPool pool = ObjectPool.create(set, "garbage")) {
            long root = pool.root(4096).offset();
            assertThat(bytesPerCommit(pool, oneRange(root))).isLessThan(1);
        }
    }

    @Test
    void locksThatLieInThePool() {
        try (ObjectPool pool = open(null)) {
            Ref root = pool.root(4096);
            PoolMutex mutex = pool.locks().mutex(root, 0);
            PoolReadWriteLock lock = pool.locks().readWriteLock(root, 64);
            PoolCondition condition = pool.locks().condition(root, 128);
            VolatileValue<String> value = pool.locks().volatileValue(root, 192);
            assertThat(
                            bytesPerCall(
                                    () -> {
                                        mutex.lock();
                                        lock.readLock().lock();
                                        condition.signalAll();
                                        lock.readLock().unlock();
                                        mutex.unlock();
                                        String unused = value.get(MADE);
                                    }))
                    .isLessThan(1);
            assertThat(
                            bytesPerCommit(
                                    pool,
                                    tx -> {
                                        tx.lock(mutex);
                                        tx.lock(lock.writeLock());
                                    }))
                    .isLessThan(1);
        }
    }

    @Test
    void elementsOfLists() {
        try (ObjectPool pool = open(new SilentSink())) {
            Ref root = pool.root(4096);
            ObjectList list = pool.list(root, 0, 0);
            ObjectList other = pool.list(root, 80, 0);
            Ref first = list.insertNewFirst(32, 1, element -> {});
            Ref second = list.insertNewFirst(32, 1, element -> {});
            assertThat(
                            bytesPerCall(
                                    () -> {
                                        list.moveFirst(list, first);
                                        other.moveLast(list, second);
                                        list.remove(first);
                                        list.insertLast(first);
                                        list.moveAfter(first, other, second);
                                    }))
                    .isLessThan(1);
        }
    }

    @Test
    void aPayload() {
        try (ObjectPool pool = open(null)) {
            Ref root = pool.root(4096);
            assertThat(
                            bytesPerCommit(
                                    pool,
                                    tx -> tx.write(root, bytes -> bytes.writeLong(1).writeInt(2))))
                    .isLessThan(1);
        }
    }

    @Test
    void aPayloadRead() {
        try (ObjectPool pool = open(null)) {
            Ref root = pool.root(4096);
            assertThat(
                            bytesPerCommit(
                                    pool,
                                    tx -> {
                                        boolean empty =
                                                tx.read(root, bytes -> bytes.readLong() == 0);
                                        tx.setLong(root, 8, empty ? 1 : 2);
                                    }))
                    .isLessThan(1);
        }
    }

    @Test
    void atomicAllocationsWithADestination() {
        try (ObjectPool pool = open(new SilentSink())) {
            long root = pool.root(4096).offset();
            AtomicObjects atomic = pool.atomic();
            assertThat(
                            bytesPerCall(
                                    () -> {
                                        long made =
                                                atomic.allocateOffset(
                                                        root,
                                                        0,
                                                        64,
                                                        1,
                                                        AllocationOptions.ZEROED,
                                                        object -> object.setLong(8, 1));
                                        long moved = atomic.reallocateOffset(root, 0, 300, 2, true);
                                        if (made == moved) {
                                            throw new AssertionError("not moved");
                                        }
                                        atomic.free(root, 0);
                                    }))
                    .isLessThan(1);
        }
    }

    @Test
    void actionsPublished() {
        try (ObjectPool pool = open(new SilentSink());
                Actions actions = pool.actions()) {
            long root = pool.root(4096).offset();
            assertThat(
                            bytesPerCall(
                                    () -> {
                                        long old = pool.raw().getLong(root, 8);
                                        if (old != 0) {
                                            actions.raw().deferFree(old);
                                        }
                                        NewObject made = actions.reserve(64, 1);
                                        made.setLong(0, 5);
                                        actions.raw().setRef(root, 0, made.offset());
                                        actions.publish();
                                    }))
                    .isLessThan(1);
        }
    }

    @Test
    void bytesStoredOutsideTransactions() {
        MemorySegment value = MemorySegment.ofArray(new byte[64]);
        try (ObjectPool pool = open(new SilentSink())) {
            long root = pool.root(4096).offset();
            assertThat(
                            bytesPerCall(
                                    () -> {
                                        pool.memory().raw().setLong(root, 8, 1);
                                        pool.memory().raw().writeBytes(root, 100, value, 0, 64);
                                        pool.memory().raw().persistBytes(root, 300, value, 0, 64);
                                    }))
                    .isLessThan(1);
        }
    }

    /** A view is of all lanes, and there are a thousand: what each leaves behind would add up. */
    @Test
    void aLookAtWhatIsCommitted() {
        int looks = 200;
        RecordingSink sink = new RecordingSink();
        ObjectPool pool = SimulatedPool.open(SimulatedPool.formatted(), sink);
        long root = pool.root(4096).offset();
        MemorySegment copy = Arena.ofAuto().allocate(1 << 16, 64);
        pool.transaction(oneRange(root));
        long best = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 5; attempt++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < looks; i++) {
                sink.committed.read(root, copy, copy.byteSize());
            }
            best = Math.min(best, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(best / looks).isLessThan(1500);
    }
}
