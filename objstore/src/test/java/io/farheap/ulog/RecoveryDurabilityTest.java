package io.farheap.ulog;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What recovery has done is durable when it returns, also what no later fence of its own covers.
 */
class RecoveryDurabilityTest {
    private static final long SEED = 20261121;

    private final TestImage image = TestImage.LARGE_SLOTS;
    private final CrashSimulation machine = image.create();
    private final PoolMemory memory = machine.memory();
    private final long undo = new LaneArea(memory).offset(0) + LaneLayout.UNDO;

    private static CrashSimulation afterPowerLoss(CrashSimulation of) {
        return of.crash(Loss.ALL, new Random(SEED));
    }

    /** Else it would count as soon as a later transaction's entry is cut off in front of it. */
    @Test
    void anEntryBehindATornOneIsCleared() {
        UndoLog log = image.lane(memory, 0).undo();
        log.append(image.data(), 8);
        log.append(image.data() + 64, 8);
        log.persist();
        CrashSimulation torn = afterPowerLoss(machine);
        long first = undo + LogLayout.HEADER_SIZE;
        long second = first + LogLayout.BUFFER_ALIGNMENT;
        assertThat(torn.memory().getLong(second)).isNotZero();
        torn.restoreWord(first + LogLayout.BUFFER_CHECKSUM, 1);

        ModelSpace unused = image.recover(torn.memory());
        CrashSimulation restarted = afterPowerLoss(torn);
        assertThat(restarted.memory().getLong(first)).isZero();
        assertThat(restarted.memory().getLong(second)).isZero();
    }

    /** A program of libpmemobj lends its own memory to a log: it is the program's again then. */
    @Test
    void memoryThatAProgramLentToALogIsUnlinked() {
        long object = image.space(memory).reserve(4096, new RedoOperations());
        long header = LogLayout.extensionHeader(object);
        memory.fill(header, LogLayout.HEADER_SIZE + 1024, (byte) 0);
        memory.putLong(header + LogLayout.CAPACITY, 1024);
        memory.putLong(header + LogLayout.FLAGS, LogLayout.USER_OWNED);
        memory.putLong(undo + LogLayout.NEXT, object);
        memory.persist(0, memory.size());

        ModelSpace unused = image.recover(memory);
        CrashSimulation restarted = afterPowerLoss(machine);
        assertThat(restarted.memory().getLong(undo + LogLayout.NEXT)).isZero();

        restarted.memory().fill(header, LogLayout.HEADER_SIZE + 1024, (byte) 0xC0);
        ModelSpace again = image.recover(restarted.memory());
        assertThat(again.allocated()).isZero();
    }

    /** What it did is done; its memory is not read again, and stays the program's. */
    @Test
    void memoryThatAProgramLentToARedoLogIsUnlinkedToo() {
        long redo = new LaneArea(memory).offset(0) + LaneLayout.EXTERNAL_REDO;
        RedoLog log = image.lane(memory, 0).external();
        RedoOperations operations = new RedoOperations();
        for (int i = 0; i < 60; i++) {
            operations.set(image.data() + 8L * i, 7000 + i);
        }
        log.reserve(operations.size());
        long object = memory.getLong(redo + LogLayout.NEXT);
        long header = LogLayout.extensionHeader(object);
        memory.persistLong(header + LogLayout.FLAGS, LogLayout.USER_OWNED);
        log.commit(operations);
        CrashSimulation stopped = afterPowerLoss(machine);

        ModelSpace space = image.recover(stopped.memory());
        assertThat(space.allocated()).as("the program's").isNotZero();
        CrashSimulation restarted = afterPowerLoss(stopped);
        assertThat(restarted.memory().getLong(redo + LogLayout.NEXT)).isZero();
        assertThat(restarted.memory().getLong(image.data() + 8L * 59)).isEqualTo(7059);

        restarted.memory().fill(header, LogLayout.HEADER_SIZE + 1024, (byte) 0xC0);
        ModelSpace again = image.recover(restarted.memory());
        assertThat(again.allocated()).isEqualTo(space.allocated());
        assertThat(restarted.memory().getLong(image.data() + 8L * 59)).isEqualTo(7059);
    }
}
