package io.farheap.ulog;

import io.farheap.memory.PoolMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A transaction as the commit pipeline makes it, on the data of a {@link TestImage}: old contents
 * logged, new bytes stored, words changed through the redo log. It knows what the data is
 * afterwards.
 */
final class LaneTransaction {
    /** Room is reserved as actions are added, not at once: this makes chains. */
    private static final int RESERVE_STEP = 48;

    final int lane;
    private final List<long[]> ranges = new ArrayList<>();
    private final List<long[]> words = new ArrayList<>();
    private boolean inPlace;
    private boolean rolledBack;
    private byte fill = 1;

    LaneTransaction(int lane) {
        this.lane = lane;
    }

    /** A random one: ranges in the first half of the data, words in the second. */
    static LaneTransaction random(Random random) {
        LaneTransaction transaction = new LaneTransaction(random.nextInt(TestImage.LANES));
        int half = (int) TestImage.DATA_BYTES / 2;
        int at = 0;
        while (at < half && random.nextInt(6) > 0) {
            int from = at + random.nextInt(half - at);
            int length = 1 + random.nextInt(random.nextInt(8) == 0 ? 3000 : 150);
            length = Math.min(length, half - from);
            transaction.range(from, length);
            at = from + length;
        }
        int words = random.nextInt(4) == 0 ? 0 : random.nextInt(random.nextBoolean() ? 4 : 90);
        for (int i = 0; i < words; i++) {
            transaction.word(
                    RedoOperations.Kind.values()[random.nextInt(3)],
                    half + 8L * random.nextInt(half / 8),
                    random.nextLong());
        }
        // Words of 0xC0 would be heads of entries of absurd size.
        transaction.fill = random.nextBoolean() ? (byte) 0xC0 : (byte) random.nextInt();
        transaction.inPlace = random.nextBoolean();
        transaction.rolledBack = random.nextInt(3) == 0;
        return transaction;
    }

    /** Bytes to change, from an offset in the data. */
    LaneTransaction range(long offset, long length) {
        ranges.add(new long[] {offset, length});
        return this;
    }

    /** A word to change, at an offset in the data. */
    LaneTransaction word(RedoOperations.Kind kind, long offset, long value) {
        words.add(new long[] {kind.ordinal(), offset, value});
        return this;
    }

    /** Words to set, from an offset in the data on. */
    LaneTransaction words(long offset, int count, long value) {
        for (int i = 0; i < count; i++) {
            word(RedoOperations.Kind.SET, offset + 8L * i, value + i);
        }
        return this;
    }

    LaneTransaction filledWith(int value) {
        fill = (byte) value;
        return this;
    }

    /** Each range is logged and changed before the next one, as with snapshots. */
    LaneTransaction inPlace() {
        inPlace = true;
        return this;
    }

    LaneTransaction rolledBack() {
        rolledBack = true;
        return this;
    }

    /** What the data is when this has committed. */
    byte[] applyTo(byte[] data) {
        CrashStates.Bytes result = new CrashStates.Bytes(data);
        for (long[] range : ranges) {
            result.fill(range[0], range[1], fill);
        }
        for (long[] word : words) {
            result.change(RedoOperations.Kind.values()[(int) word[0]], word[1], word[2]);
        }
        return result.bytes();
    }

    /** Runs it; {@code states} hears what a crash may leave, step by step. */
    void run(PoolMemory memory, long data, Lane with, CrashStates states) {
        change(memory, data, with.undo(), states);
        RedoOperations operations = new RedoOperations();
        for (long[] word : words) {
            add(operations, word, data);
        }
        if (!with.undo().isEmpty()) {
            operations.set(with.undo().genNumOffset(), with.undo().nextGenNum());
        }
        for (int entries = RESERVE_STEP; entries < operations.size(); entries += RESERVE_STEP) {
            with.external().reserve(entries);
        }
        with.external().reserve(operations.size());
        if (rolledBack) {
            // The new bytes are durable, as when a replica does not answer.
            states.expendable(memory::fence);
            with.undo().rollBack();
            with.external().finish();
            return;
        }
        if (!ranges.isEmpty()) {
            memory.fence();
        }
        states.committing(applyTo(states.current()));
        with.external().commit(operations);
        states.committed();
        with.external().finish();
        with.undo().afterCommit();
    }

    private void change(PoolMemory memory, long data, UndoLog undo, CrashStates states) {
        for (long[] range : ranges) {
            undo.append(data + range[0], range[1]);
            if (inPlace) {
                undo.persist();
                store(memory, data, range, states);
            }
        }
        if (!inPlace) {
            undo.persist();
            ranges.forEach(range -> store(memory, data, range, states));
        }
    }

    private void store(PoolMemory memory, long data, long[] range, CrashStates states) {
        memory.fill(data + range[0], range[1], fill);
        Runnable flush = () -> memory.flush(data + range[0], range[1]);
        if (rolledBack) {
            states.expendable(flush);
        } else {
            flush.run();
        }
    }

    private static void add(RedoOperations operations, long[] word, long data) {
        switch (RedoOperations.Kind.values()[(int) word[0]]) {
            case SET -> operations.set(data + word[1], word[2]);
            case AND -> operations.and(data + word[1], word[2]);
            case OR -> operations.or(data + word[1], word[2]);
        }
    }
}
