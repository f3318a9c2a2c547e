package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.LinuxCalls;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pages of a private image that were stored to: after a checkpoint they are given back, and nobody
 * who reads them can tell.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@LinuxCalls("Java gives no page of a mapping back")
class PrivateMemoryTest {
    private static final long PAGE = 4096;
    private static final long PAGES = 4096;
    private static final int STORED = 1500;
    private static final JournalGeometry GEOMETRY = new JournalGeometry(256 << 16, 1 << 16, 4096);
    private static final PrivateMemory.Quiet ALWAYS =
            action -> {
                action.run();
                return true;
            };

    @TempDir private Path directory;
    private NativeFile file;
    private MappedImage mapped;
    private MemorySegment image;
    private ImageDisk disk;
    private DiskJournal journal;
    private PoolMemory memory;
    private Checkpointer checkpointer;

    @BeforeEach
    void open() {
        file = NativeFile.create(directory.resolve("a.pool"));
        file.allocate(PAGES * PAGE);
        List<Share> shares = List.of(new Share(file, 0, PAGES * PAGE));
        mapped = MappedImage.map(shares, Access.JOURNALED);
        image = mapped.segment();
        disk = new ImageDisk(shares);
        SimulatedDisk ring = new SimulatedDisk(GEOMETRY.fileBytes());
        DiskJournalFile empty =
                DiskJournalFile.format(
                        "journal", ring, GEOMETRY, new byte[32], 7, 1, image.byteSize());
        journal = new DiskJournal(image, List.of(empty));
        memory = new PoolMemory(image, journal);
        checkpointer = new Checkpointer(journal, List.of(disk));
    }

    @AfterEach
    void close() {
        mapped.close();
        file.close();
    }

    private static long at(int i) {
        return (10 + 2L * i) * PAGE + i % 500 * 8;
    }

    private void store(int from, int to, boolean flushed) {
        for (int i = from; i < to; i++) {
            memory.putLong(at(i), i + 1);
            if (flushed) {
                memory.flush(at(i), Long.BYTES);
                memory.order();
            }
        }
        memory.settle();
    }

    private void assertAllAreThere(int count) {
        for (int i = 0; i < count; i++) {
            assertThat(image.get(ValueLayout.JAVA_LONG_UNALIGNED, at(i))).isEqualTo(i + 1);
        }
    }

    private long privatePages() {
        long[] count = {0};
        PrivatePages.each(image, page -> count[0]++);
        return count[0];
    }

    private PrivateMemory givenBack(PrivateMemory.Quiet quiet, long mostPages) {
        PrivateMemory memory = new PrivateMemory(journal, disk, quiet, mostPages * PAGE);
        memory.checkpointed();
        memory.giveBack(() -> false);
        return memory;
    }

    @Test
    void whatACheckpointHasWrittenIsGivenBackDownToHalfOfWhatMayBe() {
        store(0, STORED, true);
        checkpointer.checkpoint();
        assertThat(privatePages()).isGreaterThanOrEqualTo(STORED);

        PrivateMemory unused = givenBack(ALWAYS, STORED / 2);

        assertThat(privatePages()).isLessThanOrEqualTo(STORED / 4);
        assertAllAreThere(STORED);
    }

    @Test
    void nothingIsGivenBackWhileLittleIsPrivate() {
        store(0, STORED, true);
        checkpointer.checkpoint();
        long before = privatePages();

        PrivateMemory unused = givenBack(ALWAYS, before);

        assertThat(privatePages()).isEqualTo(before);
    }

    /** The rule drop-clean: also of what is never flushed. */
    @Test
    void whatTheFileDoesNotHaveStays() {
        store(0, 500, true);
        checkpointer.checkpoint();
        store(500, 1000, true);
        store(1000, STORED, false);

        PrivateMemory unused = givenBack(ALWAYS, 10);

        assertThat(privatePages()).isBetween(1000L, 1010L);
        assertAllAreThere(STORED);
    }

    /** The rule drop-quiet. */
    @Test
    void nothingIsGivenBackWhileSomebodyStoresAndMoreOnceNobodyDoes() {
        store(0, STORED, true);
        checkpointer.checkpoint();
        long before = privatePages();
        boolean[] quiet = {false};
        PrivateMemory given =
                givenBack(
                        action -> {
                            if (quiet[0]) {
                                action.run();
                            }
                            return quiet[0];
                        },
                        10);
        assertThat(privatePages()).isEqualTo(before);

        quiet[0] = true;
        given.giveBack(() -> false);

        assertThat(privatePages()).isLessThan(10);
        assertAllAreThere(STORED);
    }

    @Test
    void aStoreJustBeforeItIsQuietIsSeen() {
        store(0, STORED, true);
        checkpointer.checkpoint();

        PrivateMemory unused =
                givenBack(
                        action -> {
                            memory.putLong(at(7), 42);
                            action.run();
                            return true;
                        },
                        10);

        assertThat(memory.getLong(at(7))).isEqualTo(42);
    }

    /** Memory is all that it costs: nothing is lost, and it is not tried again. */
    @Test
    void whatTheKernelDoesNotTakeBackStays() throws IOException {
        close();
        try (FailingCalls calls = FailingCalls.under(directory)) {
            Files.delete(directory.resolve("a.pool"));
            open();
            store(0, STORED, true);
            checkpointer.checkpoint();
            long before = privatePages();
            calls.failAll(FailingCalls.Call.DROP_PAGES, LibC.EINVAL);

            PrivateMemory given = givenBack(ALWAYS, 10);
            given.checkpointed();
            given.giveBack(() -> false);

            assertThat(calls.failed()).hasSize(1);
            assertThat(privatePages()).isEqualTo(before);
            assertAllAreThere(STORED);
        }
    }

    @Test
    void aCheckpointThatIsDueGoesFirst() {
        store(0, STORED, true);
        checkpointer.checkpoint();
        long before = privatePages();
        PrivateMemory given = new PrivateMemory(journal, disk, ALWAYS, 10 * PAGE);
        given.checkpointed();

        given.giveBack(() -> true);
        assertThat(privatePages()).isEqualTo(before);

        given.giveBack(() -> false);
        assertThat(privatePages()).isLessThan(10);
    }

    /** They are stored to at any time, whatever is quiet. */
    @Test
    void headerAndDescriptorStay() {
        memory.putLong(8, 1);
        memory.putLong(PAGE, 1);
        memory.flush(PAGE, Long.BYTES);
        store(0, STORED, true);
        checkpointer.checkpoint();

        PrivateMemory unused = givenBack(ALWAYS, 0);

        assertThat(privatePages()).isEqualTo(2);
    }

    /** Each such page was to be checkpointed before its memory can be given back. */
    @Test
    void manyDirtyPagesMakeACheckpointDue() {
        checkpointer.giveBack(ALWAYS, 200 * PAGE);
        store(0, 100, true);
        assertThat(journal.isCheckpointDue()).isFalse();
        store(100, 101, true);
        assertThat(journal.isCheckpointDue()).isTrue();
    }
}
