package io.farheap.ulog;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** A commit makes no garbage: neither the undo log nor the redo log allocates. */
class LogAllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int COMMITS = 10_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final TestImage image = TestImage.LARGE_SLOTS;

    @Test
    void commitsAndRollBacksAllocateNothing() {
        PoolMemory memory = memoryWithoutSimulation();
        Lane lane = image.lane(memory, 0);
        RedoOperations operations = new RedoOperations();
        for (int i = 0; i < WARM_UP; i++) {
            transaction(memory, lane, operations, i);
        }

        // A compilation that finishes in between costs some objects: the least of some rounds.
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 10 && least >= COMMITS; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < COMMITS; i++) {
                transaction(memory, lane, operations, i);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).as("bytes in %d commits", COMMITS).isLessThan(COMMITS);
    }

    private void transaction(PoolMemory memory, Lane lane, RedoOperations operations, int round) {
        UndoLog undo = lane.undo();
        long data = image.data();
        for (int i = 0; i < 17; i++) {
            undo.append(data + 64L * i, 64);
        }
        undo.persist();
        if (round % 8 == 7) {
            undo.rollBack();
            return;
        }
        memory.putLong(data, round);
        memory.persist(data, 8);
        operations.clear();
        operations.or(data + 2048, 1L << round);
        operations.and(data + 2056, ~(1L << round));
        operations.set(undo.genNumOffset(), undo.nextGenNum());
        lane.external().reserve(operations.size());
        lane.external().commit(operations);
        lane.external().finish();
        undo.afterCommit();
    }

    private PoolMemory memoryWithoutSimulation() {
        PoolMemory memory =
                new PoolMemory(
                        Arena.ofAuto().allocate(image.create().memory().size(), 64),
                        new Persistence() {
                            @Override
                            public void flush(long offset, long length) {}

                            @Override
                            public void fence() {}
                        });
        memory.image().copyFrom(image.create().memory().image());
        return memory;
    }
}
