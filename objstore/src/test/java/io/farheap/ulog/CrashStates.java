package io.farheap.ulog;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.Executor;

/** What the data of a {@link TestImage} may be after a crash now: one state, or one of two. */
final class CrashStates {
    private final Executor expendable;
    private byte[] before;
    private byte[] after;

    /**
     * @param expendable runs flushes and fences that recovery can do without
     */
    CrashStates(PoolMemory memory, long data, Executor expendable) {
        this.expendable = expendable;
        before = read(memory, data);
        after = before;
    }

    CrashStates(CrashStates other) {
        expendable = Runnable::run;
        before = other.before;
        after = other.after;
    }

    byte[] current() {
        return after;
    }

    /** From here on a crash leaves the old or the new state. */
    void committing(byte[] next) {
        after = next;
    }

    /** From here on only the new one. */
    void committed() {
        before = after;
    }

    /** Runs a flush or a fence that recovery can do without. */
    void expendable(Runnable operation) {
        expendable.execute(operation);
    }

    /** Finds out which of the two it was. */
    void recovered(PoolMemory memory, long data) {
        byte[] found = read(memory, data);
        int wrong = Arrays.mismatch(found, after);
        if (!Arrays.equals(found, before) && wrong >= 0) {
            long old = Arrays.mismatch(found, before);
            assertThat(found[wrong])
                    .as("data differs from the old state at %d, from the new at %d", old, wrong)
                    .isEqualTo(after[wrong]);
        }
        before = found;
        after = found;
    }

    private static byte[] read(PoolMemory memory, long data) {
        return memory.image().asSlice(data, TestImage.DATA_BYTES).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The data as an array, to compute the next state in. */
    static final class Bytes {
        private final ByteBuffer bytes;

        Bytes(byte[] from) {
            bytes = ByteBuffer.wrap(from.clone()).order(ByteOrder.LITTLE_ENDIAN);
        }

        void fill(long offset, long length, byte value) {
            MemorySegment.ofBuffer(bytes).asSlice(offset, length).fill(value);
        }

        void change(RedoOperations.Kind kind, long offset, long value) {
            long old = bytes.getLong((int) offset);
            bytes.putLong(
                    (int) offset,
                    switch (kind) {
                        case SET -> value;
                        case AND -> old & value;
                        case OR -> old | value;
                    });
        }

        byte[] bytes() {
            return bytes.array();
        }
    }
}
