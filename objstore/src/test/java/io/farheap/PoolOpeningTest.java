package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.check.OpeningCheck;
import io.farheap.heap.Heap;
import io.farheap.heap.HeapLogSpace;
import io.farheap.heap.HeapStores;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.pmemobj.PoolLimits;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.RedoOperations;
import io.farheap.ulog.UndoLog;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Openings that fail leave nothing behind, and copies of open pools are refused. */
class PoolOpeningTest {
    /** A lane that nothing else uses. */
    private static final int UNFINISHED = 7;

    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void createPool() {
        file = directory.resolve("pool");
        try (ObjectPool pool =
                ObjectPool.at(file).layout("a").size(PoolLimits.MIN_POOL_BYTES).create()) {
            pool.setLong(pool.root(64), 0, 42);
        }
    }

    @Test
    void afterAFaultWhilePagesAreTouchedThePoolCanBeOpened() throws IOException {
        byte[] content = Files.readAllBytes(file);
        PoolSource source = PoolSource.of(file);
        PoolOptions prefaulting = PoolOptions.builder().prefaultAtOpen(true).build();
        PoolFiles files = PoolFiles.open(source);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(1 << 20);
        }

        assertThatThrownBy(() -> new PoolOpening(source, prefaulting).open(files, null))
                .isInstanceOf(InternalError.class);

        Files.write(file, content);
        try (ObjectPool pool = ObjectPool.at(file).layout("a").options(prefaulting).open()) {
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(42);
        }
    }

    @Test
    void aSecondCopyOfAnOpenPoolIsRefused() throws IOException {
        Path copy = Files.copy(file, directory.resolve("copy"));
        try (ObjectPool pool = ObjectPool.open(file, "a")) {
            assertThatThrownBy(() -> ObjectPool.open(copy, "a"))
                    .isInstanceOfSatisfying(
                            FarheapException.class,
                            e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT))
                    .hasMessageContaining(file.toString())
                    .hasMessageContaining(copy.toString());
            assertThat(OpenPools.ofId(pool.poolId())).containsSame(pool);
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(42);
        }
        assertThat(Files.mismatch(file, copy)).as("differs in its run id").isNotEqualTo(-1);
        ObjectPool first = ObjectPool.open(copy, "a");
        first.close();
        try (ObjectPool pool = ObjectPool.open(file, "a")) {
            first.close();
            assertThat(OpenPools.ofId(pool.poolId())).as("closed twice").containsSame(pool);
        }
        assertThat(OpenPools.ofId(first.poolId())).isEmpty();
    }

    /**
     * What the check has walked over is not walked over again: who damages it there is not seen.
     */
    @Test
    void theHeapIsWalkedOverOnce() {
        PoolSource source = PoolSource.of(file);
        OpeningCheck check = new OpeningCheck();
        PoolFiles files = PoolFiles.open(source, "a", check);
        damageHeap(files.memory());

        try (ObjectPool pool =
                new PoolOpening(source, PoolOptions.builder().build()).open(files, check.found())) {
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(42);
        }
        assertThatThrownBy(() -> ObjectPool.open(file, "a"))
                .as("where nobody has walked over it")
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("invalid header's checksum");
    }

    /** Redo logs change the heap behind the check's back. */
    @Test
    void whereARedoLogIsAppliedTheHeapIsWalkedOverOnceMore() {
        storeARedoLog();
        PoolSource source = PoolSource.of(file);
        OpeningCheck check = new OpeningCheck();
        PoolFiles files = PoolFiles.open(source, "a", check);
        damageHeap(files.memory());

        assertThatThrownBy(
                        () ->
                                new PoolOpening(source, PoolOptions.builder().build())
                                        .open(files, check.found()))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("invalid header's checksum");
    }

    /**
     * What the check has compared is not summed again: who damages it there is not seen, and it is
     * rolled back as the check has found it.
     */
    @Test
    void theUndoLogsAreSummedOnce() {
        leaveATransaction();
        PoolSource source = PoolSource.of(file);
        OpeningCheck check = new OpeningCheck();
        PoolFiles files = PoolFiles.open(source, "a", check);
        damageUndoLog(files.memory());

        try (ObjectPool pool =
                new PoolOpening(source, PoolOptions.builder().build()).open(files, check.found())) {
            assertThat(pool.getLong(pool.root(), 0)).as("rolled back").isEqualTo(42);
        }
    }

    /** As when the first has no room for a disk journal, and a program is killed in between. */
    @Test
    void aSecondOpeningGoesByWhatItFindsItself() {
        PoolSource source = PoolSource.of(file);
        OpeningCheck check = new OpeningCheck();
        PoolFiles.open(source, "a", check).close();
        leaveATransaction();

        PoolFiles files = PoolFiles.open(source, "a", check);
        try (ObjectPool pool =
                new PoolOpening(source, PoolOptions.builder().build()).open(files, check.found())) {
            assertThat(pool.getLong(pool.root(), 0)).as("rolled back").isEqualTo(42);
        }
    }

    /** A redo log may change an undo log, or discard it. */
    @Test
    void whereARedoLogIsAppliedTheUndoLogsAreSummedOnceMore() {
        leaveATransaction();
        storeARedoLog();
        PoolSource source = PoolSource.of(file);
        OpeningCheck check = new OpeningCheck();
        PoolFiles files = PoolFiles.open(source, "a", check);
        damageUndoLog(files.memory());

        try (ObjectPool pool =
                new PoolOpening(source, PoolOptions.builder().build()).open(files, check.found())) {
            assertThat(pool.getLong(pool.root(), 0)).as("no entry is whole").isEqualTo(43);
        }
    }

    /** Who opens files that nobody has checked compares the checksums as ever. */
    @Test
    void anEntryThatWasTornBeforeTheCheckIsNotRolledBack() {
        leaveATransaction();
        try (PoolFiles files = PoolFiles.open(PoolSource.of(file))) {
            damageUndoLog(files.memory());
        }

        try (ObjectPool pool = ObjectPool.open(file, "a")) {
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(43);
        }
    }

    /** One that saved the root's first word, which was 42, and stored 43. */
    private void leaveATransaction() {
        try (PoolFiles files = PoolFiles.open(PoolSource.of(file))) {
            PoolMemory memory = files.memory();
            Descriptor descriptor = new Descriptor(memory);
            UndoLog undo = new LaneArea(memory).lane(UNFINISHED, logSpace(memory)).undo();
            undo.append(descriptor.rootOffset(), Long.BYTES);
            undo.persist();
            memory.persistLong(descriptor.rootOffset(), 43);
        }
    }

    private static void damageUndoLog(PoolMemory memory) {
        long lane = new Descriptor(memory).lanesOffset() + UNFINISHED * LaneLayout.SIZE;
        long entry = lane + LaneLayout.UNDO + LogLayout.HEADER_SIZE;
        memory.putLong(
                entry + LogLayout.BUFFER_CHECKSUM,
                memory.getLong(entry + LogLayout.BUFFER_CHECKSUM) + 1);
    }

    private static HeapLogSpace logSpace(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        return new HeapLogSpace(
                Heap.boot(
                        memory,
                        descriptor.heapOffset(),
                        descriptor.heapSize(),
                        HeapStores.local(memory)));
    }

    /** Of a lane that nothing else uses: it stores the root's size, as it is. */
    private void storeARedoLog() {
        try (PoolFiles files = PoolFiles.open(PoolSource.of(file))) {
            PoolMemory memory = files.memory();
            RedoOperations operations = new RedoOperations();
            operations.set(Descriptor.ROOT_SIZE, new Descriptor(memory).rootSize());
            new LaneArea(memory).lane(0, logSpace(memory)).external().commit(operations, true);
        }
    }

    /** Where only a walk over all of it looks. */
    private static void damageHeap(PoolMemory memory) {
        memory.putByte(new Descriptor(memory).heapOffset() + 100, (byte) 1);
    }

    @Test
    void anOpeningThatFailsLateGivesTheIdBack() {
        PoolOptions refused = PoolOptions.builder().threadArena(1000).build();

        assertThatThrownBy(() -> ObjectPool.at(file).layout("a").options(refused).open())
                .isInstanceOf(FarheapException.class);

        ObjectPool.open(file, "a").close();
    }
}
