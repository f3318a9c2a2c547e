package io.farheap.ulog;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FarheapException;
import io.farheap.layout.Checksum;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Undo logs that thousands of transactions with ranges of mixed lengths wore out, and power losses
 * at random: what one leaves in a log lies in the way of all that follow. The data are entries that
 * would be valid if one was looked for where they lie. Now and then the machine that lost its power
 * goes on, or all lanes are opened again without a recovery that had something to do.
 *
 * <p>{@code -Dwear.seconds=180} goes on longer, {@code -Dwear.seed=N} with that seed.
 */
class UndoLogWearTest {
    private static final boolean DEEP = Boolean.getBoolean("test.deep");
    private static final long SECONDS = Long.getLong("wear.seconds", DEEP ? 2 : 1);
    private static final long LINE = LogLayout.BUFFER_ALIGNMENT;

    enum Pool {
        ONE_LARGE_EXTENSION(TestImage.LARGE_SLOTS, 32768),
        SMALL_EXTENSIONS(TestImage.SMALL_SLOTS, 256),
        LARGE_SLOTS_SMALL_EXTENSIONS(TestImage.LARGE_SLOTS, 64);

        private final TestImage image;
        private final long extension;

        Pool(TestImage image, long extension) {
            this.image = image;
            this.extension = extension;
        }
    }

    /** Power is off for the machine at work; another one has its content. */
    private static final class PowerLoss extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** So many at least, however slow the machine is. */
    private static final int ENOUGH = DEEP ? 100 : 20;

    private TestImage image;
    private long extensionBytes;
    private Random random;
    private CrashSimulation machine;
    private Lane[] lanes;
    private byte[] before;
    private byte[] after;
    private boolean atWork;
    private int[] favourite;
    private int crashes;
    private int transactions;
    private int cancelled;

    @ParameterizedTest
    @Tag("sliced")
    @EnumSource
    void everyCrashLeavesATransactionBoundary(Pool pool) {
        long seed = Long.getLong("wear.seed", System.nanoTime());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        random = new Random(seed);
        image = pool.image;
        extensionBytes = pool.extension;
        machine = image.create();
        start();
        before = data(machine.memory());
        after = before;
        try {
            while (System.nanoTime() < end || crashes <= ENOUGH) {
                transaction();
                if (random.nextInt(60) == 0) {
                    start();
                }
            }
        } catch (AssertionError | RuntimeException failure) {
            throw new AssertionError(
                    "seed %d, transaction %d, crash %d: %s"
                            .formatted(seed, transactions, crashes, failure.getMessage()),
                    failure);
        }
        System.out.printf(
                "%s: %d transactions, %d did not fit, %d crashes, seed %d%n",
                pool, transactions, cancelled, crashes, seed);
    }

    /** The lanes of the machine as opening a pool finds them. */
    private void start() {
        machine.beforeEachStep(() -> {});
        PoolMemory memory = machine.memory();
        ModelSpace space = image.recover(memory).reusingMemory();
        LaneArea area = new LaneArea(memory);
        area.setUndoExtensionBytes(extensionBytes);
        lanes = new Lane[TestImage.LANES];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = area.lane(i, space);
        }
        CrashSimulation current = machine;
        machine.beforeEachStep(() -> step(current));
    }

    private void step(CrashSimulation current) {
        if (!atWork || random.nextInt(40) != 0) {
            return;
        }
        for (int i = random.nextInt(3); i >= 0; i--) {
            Loss loss = Loss.values()[random.nextInt(Loss.values().length)];
            CrashSimulation restarted = current.crash(loss, random);
            crashes++;
            new TrustingReader(restarted.memory()).walk();
            boolean goesOn = i == 0 && random.nextInt(3) == 0;
            if (random.nextBoolean()) {
                crashInRecovery(restarted);
            }
            image.recover(restarted.memory());
            byte[] found = check(restarted.memory());
            if (goesOn) {
                machine = restarted;
                before = found;
                after = found;
                throw new PowerLoss();
            }
        }
    }

    private void crashInRecovery(CrashSimulation restarted) {
        CrashSimulation copy = new CrashSimulation(restarted.memory().image());
        copy.beforeEachStep(
                () -> {
                    if (random.nextInt(3) == 0) {
                        CrashSimulation again = copy.crash(Loss.RANDOM, random);
                        new TrustingReader(again.memory()).walk();
                        image.recover(again.memory());
                        check(again.memory());
                    }
                });
        image.recover(copy.memory());
    }

    private byte[] check(PoolMemory memory) {
        byte[] found = data(memory);
        if (!Arrays.equals(found, before)) {
            assertThat(Arrays.mismatch(found, after))
                    .as("where it is not new; not old at %d", Arrays.mismatch(found, before))
                    .isEqualTo(-1);
        }
        assertThat(memory.getLong(image.victim())).as("victim").isEqualTo(TestImage.VICTIM);
        return found;
    }

    private static byte[] data(PoolMemory memory) {
        MemorySegment all = memory.image();
        return all.asSlice(all.byteSize() - TestImage.DATA_BYTES).toArray(ValueLayout.JAVA_BYTE);
    }

    // ---- one transaction ----

    private void transaction() {
        transactions++;
        PoolMemory memory = machine.memory();
        Lane lane = lanes[random.nextInt(lanes.length)];
        byte[] next = before.clone();
        int[] ranges = random.nextInt(4) == 0 && favourite != null ? favourite : ranges();
        if (random.nextInt(10) == 0) {
            favourite = ranges;
        }
        boolean inPlace = random.nextBoolean();
        atWork = true;
        try {
            for (int i = 0; i < ranges.length; i += 2) {
                lane.undo().append(image.data() + ranges[i], ranges[i + 1]);
                fillWithEntries(next, ranges[i], ranges[i + 1]);
                if (inPlace) {
                    lane.undo().persist();
                    store(memory, next, ranges[i], ranges[i + 1]);
                }
            }
            lane.undo().persist();
            for (int i = 0; !inPlace && i < ranges.length; i += 2) {
                store(memory, next, ranges[i], ranges[i + 1]);
            }
            end(memory, lane, next);
        } catch (FarheapException full) {
            assertThat(full.category()).isEqualTo(FarheapException.Category.ENVIRONMENT);
            cancelled++;
            try {
                lane.undo().rollBack();
                lane.external().finish();
            } catch (PowerLoss loss) {
                atWork = false;
                start();
            }
        } catch (PowerLoss loss) {
            atWork = false;
            start();
        }
        atWork = false;
    }

    private void end(PoolMemory memory, Lane lane, byte[] next) {
        memory.fence();
        if (random.nextInt(4) == 0) {
            lane.undo().rollBack();
            lane.external().finish();
            return;
        }
        RedoOperations operations = new RedoOperations();
        operations.set(lane.undo().genNumOffset(), lane.undo().nextGenNum());
        if (random.nextInt(4) == 0) {
            operations.set(image.data(), 77);
            putLong(next, 0, 77);
        }
        lane.external().reserve(operations.size());
        after = next;
        lane.external().commit(operations);
        before = next;
        lane.external().finish();
        lane.undo().afterCommit();
    }

    private void store(PoolMemory memory, byte[] next, int at, int length) {
        memory.copyIn(image.data() + at, MemorySegment.ofArray(next), at, length);
        memory.flush(image.data() + at, length);
    }

    /** Ascending, at least one; the first word is left for the redo log. */
    private int[] ranges() {
        int[] found = new int[2 * (1 + random.nextInt(random.nextBoolean() ? 3 : 40))];
        int count = 0;
        int at = 8;
        int shape = random.nextInt(5);
        while (count < found.length && at < TestImage.DATA_BYTES) {
            int left = (int) TestImage.DATA_BYTES - at;
            int most =
                    switch (shape == 4 ? random.nextInt(4) : shape) {
                        case 0 -> 40;
                        case 1 -> 330;
                        case 2 -> 700;
                        default -> 4000;
                    };
            int length = Math.min(left, 1 + random.nextInt(most));
            if (random.nextBoolean()) {
                length = Math.min(left, (length + 7) & -8);
            }
            found[count++] = at;
            found[count++] = length;
            at += length + 8 * random.nextInt(10);
            at = random.nextBoolean() ? (at + 7) & -8 : at;
        }
        return Arrays.copyOf(found, count);
    }

    /**
     * Lines that a reader would take for entries, as the next transactions' generations have it,
     * where a line of the log begins with them; or such of absurd size.
     */
    private void fillWithEntries(byte[] next, int at, int length) {
        long genNum =
                machine.memory()
                        .getLong(
                                new LaneArea(machine.memory()).offset(random.nextInt(2))
                                        + LaneLayout.UNDO
                                        + LogLayout.GEN_NUM);
        int phase = 8 * random.nextInt(8);
        int kind = random.nextInt(4);
        for (int i = 0; i < length; i++) {
            next[at + i] = (byte) random.nextInt(kind == 0 ? 1 : 256);
        }
        for (int line = phase; line + LINE <= length && kind > 0; line += (int) LINE) {
            entry(next, at + line, genNum + random.nextInt(3), kind);
        }
    }

    private void entry(byte[] next, int at, long genNum, int kind) {
        MemorySegment entry = MemorySegment.ofArray(new long[8]);
        int operation = kind == 1 ? LogLayout.BUFFER_COPY : random.nextInt(8);
        long size = kind == 3 ? random.nextLong() : 8;
        entry.set(ValueLayout.JAVA_LONG, 0, LogLayout.firstWord(operation, image.victim()));
        entry.set(ValueLayout.JAVA_LONG, 16, size);
        entry.set(ValueLayout.JAVA_LONG, 24, 0xBADL);
        long sum = Checksum.continued(Checksum.continued(0, entry, 0, LINE), genNum);
        entry.set(ValueLayout.JAVA_LONG, 8, sum);
        MemorySegment.copy(entry, 0, MemorySegment.ofArray(next), at, LINE);
    }

    private static void putLong(byte[] bytes, int at, long value) {
        MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_LONG_UNALIGNED, at, value);
    }
}
