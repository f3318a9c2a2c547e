package io.farheap.ulog;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.PoolMemory;
import org.junit.jupiter.api.Test;

/** What the logs cost: flushes and fences of each operation, pinned. */
class LogCountsTest {
    private final TestImage image = TestImage.LARGE_SLOTS;
    private final PoolMemory memory = image.create().memory();
    private final Lane lane = image.lane(memory, 0);
    private final RedoOperations operations = new RedoOperations();

    @Test
    void aSingleOperationIsOneFlushAndOneFence() {
        operations.set(image.data(), 1);

        assertCost(1, 1, () -> lane.external().commit(operations));
        assertCost(0, 0, () -> lane.external().finish());
    }

    @Test
    void severalOperationsAreOneFenceToTheCommitPointAndTwoAfterIt() {
        fill(40);

        assertCost(1, 1, () -> lane.external().commit(operations));
        // 40 neighbouring words lie in 5 lines.
        assertCost(5 + 1, 2, () -> lane.external().finish());
    }

    @Test
    void nothingToDoCostsNothing() {
        assertCost(0, 0, () -> lane.external().commit(operations));
        assertCost(0, 0, () -> lane.external().finish());
        assertCost(0, 0, () -> lane.undo().persist());
        assertCost(0, 0, () -> lane.undo().rollBack());
        assertCost(0, 0, () -> lane.undo().afterCommit());
    }

    @Test
    void moreOperationsThanTheLaneTakesCostAFenceMoreAndTheirExtension() {
        fill(41);

        // The extension cleared, then its internal redo: stored, two words applied, discarded.
        assertCost(1 + 1 + 2 + 1, 4, () -> lane.external().reserve(41));
        assertCost(2, 2, () -> lane.external().commit(operations));
        assertCost(6 + 1 + 1 + 2 + 1, 2 + 3, () -> lane.external().finish());
    }

    @Test
    void sixteenRangesOf64BytesAreDurableWithOneFlushAndOneFence() {
        assertCost(0, 0, () -> append(16, 64));
        assertCost(1, 1, () -> lane.undo().persist());
        assertCost(0, 0, () -> lane.undo().persist());
    }

    @Test
    void theSeventeenthRangeLinksAnExtensionOnceAndForAll() {
        assertCost(1 + 1 + 1 + 2 + 1, 4, () -> append(17, 64));
        assertCost(1, 1, () -> lane.undo().persist());
        commitGeneration();
        assertCost(0, 0, () -> lane.undo().afterCommit());

        assertCost(1, 0, () -> append(17, 64));
        assertCost(1, 1, () -> lane.undo().persist());
    }

    @Test
    void aRangeOf4KiBNeedsTheExtensionAndOneFence() {
        append(1, 4096);
        endTransaction();

        assertCost(1, 0, () -> append(1, 4096));
        assertCost(1, 1, () -> lane.undo().persist());
    }

    @Test
    void shortRangesAfterALongOneCostNothingMore() {
        append(1, 4096);
        endTransaction();

        assertCost(0, 0, () -> append(3, 64));
        assertCost(1, 1, () -> lane.undo().persist());
    }

    @Test
    void entriesWhereDataLayCostAFlushAndAFenceForManyOfThem() {
        append(1, 4096);
        endTransaction();

        // In the lane 6 short entries and the head of a long one; then data, cleared 16 lines at
        // once.
        assertCost(1, 1, () -> append(11, 64));
        endTransaction();
        assertCost(1, 1, () -> append(16, 64));
        endTransaction();
        assertCost(0, 0, () -> append(16, 64));
    }

    @Test
    void soDoTheyInTheExtension() {
        append(1, 4096);
        endTransaction();

        assertCost(1 + 1, 1, () -> append(1, 3000));
        endTransaction();
        assertCost(1, 0, () -> append(1, 3000));
    }

    @Test
    void aNewExtensionHasNoData() {
        append(1, 4096);
        endTransaction();
        lane.undo().releaseExtensions();
        append(1, 1900);
        endTransaction();

        assertCost(1, 0, () -> append(1, 3000));
    }

    @Test
    void rollingBackIsTwoFences() {
        append(4, 64);
        lane.undo().persist();

        assertCost(2, 2, () -> lane.undo().rollBack());
    }

    private void endTransaction() {
        lane.undo().persist();
        commitGeneration();
        lane.undo().afterCommit();
    }

    private void append(int ranges, long bytes) {
        for (int i = 0; i < ranges; i++) {
            lane.undo().append(image.data() + i * bytes, bytes);
        }
    }

    private void commitGeneration() {
        RedoOperations commit = new RedoOperations();
        commit.set(lane.undo().genNumOffset(), lane.undo().nextGenNum());
        lane.external().commit(commit);
        lane.external().finish();
    }

    private void fill(int count) {
        for (int i = 0; i < count; i++) {
            operations.set(image.data() + 8L * i, i);
        }
    }

    private void assertCost(int flushes, int fences, Runnable operation) {
        long flushesBefore = memory.flushCount();
        long fencesBefore = memory.fenceCount();
        operation.run();
        assertThat(memory.fenceCount() - fencesBefore).as("fences").isEqualTo(fences);
        assertThat(memory.flushCount() - flushesBefore).as("flushes").isEqualTo(flushes);
    }
}
