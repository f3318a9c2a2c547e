package io.farheap.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WriteSetTest {
    private static final int SIZE = 1024;
    private static final Persistence NONE =
            new Persistence() {
                @Override
                public void flush(long offset, long length) {}

                @Override
                public void fence() {}
            };

    private final PoolMemory memory = new PoolMemory(Arena.ofAuto().allocate(SIZE, 8), NONE);
    private final WriteSet writes = new WriteSet();

    @Test
    void readsItsOwnWritesAndLeavesTheImageAlone() {
        memory.putLong(64, 7);

        writes.putLong(64, 8);

        assertThat(writes.getLong(memory, 64)).isEqualTo(8);
        assertThat(writes.getLong(memory, 72)).isZero();
        assertThat(memory.getLong(64)).isEqualTo(7);
    }

    @Test
    void neighbouringFieldsAreOneRange() {
        writes.putLong(64, 1);
        writes.putLong(72, 2);
        writes.putLong(48, 3);
        writes.putLong(56, 4);

        assertThat(writes.size()).isEqualTo(1);
        assertThat(writes.offset(0)).isEqualTo(48);
        assertThat(writes.length(0)).isEqualTo(32);
    }

    @Test
    void fieldsWithAGapBetweenThemStayApart() {
        writes.putLong(64, 1);
        writes.putByte(73, (byte) 2);

        assertThat(writes.size()).as("byte 72 belongs to somebody else").isEqualTo(2);
    }

    @Test
    void clearForgetsEverything() {
        writes.putLong(64, 1);

        writes.clear();

        assertThat(writes.isEmpty()).isTrue();
        assertThat(writes.getLong(memory, 64)).isZero();
    }

    @Test
    void tooManyBytesAreRefused() {
        MemorySegment huge = MemorySegment.ofAddress(0).reinterpret(WriteSet.MAX_BYTES + 1);

        assertThatThrownBy(() -> writes.put(0, huge, 0, huge.byteSize()))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("snapshot()");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void behavesLikeAnArrayOfBytesLaidOverTheImage(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < SIZE; i += 8) {
            memory.putLong(i, random.nextLong());
        }
        byte[] expected = memory.image().toArray(ValueLayout.JAVA_BYTE);
        BitSet written = new BitSet();
        for (int step = 0; step < 300; step++) {
            writeSomething(random, expected, written);
            String where = "seed " + seed + ", step " + step;
            readSomething(random, expected, where);
            assertRangesAreExactly(written, where);
        }
        byte[] inPlace = memory.image().toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < writes.size(); i++) {
            for (long b = 0; b < writes.length(i); b++) {
                inPlace[(int) (writes.offset(i) + b)] =
                        writes.buffer().get(ValueLayout.JAVA_BYTE, writes.position(i) + b);
            }
        }
        assertThat(inPlace).as("stored in place, seed " + seed).isEqualTo(expected);
    }

    private void writeSomething(Random random, byte[] expected, BitSet written) {
        int length =
                switch (random.nextInt(5)) {
                    case 0 -> 1;
                    case 1 -> 2;
                    case 2 -> 4;
                    case 3 -> 8;
                    default -> random.nextInt(50);
                };
        int offset = random.nextInt(SIZE - Math.max(length, 8));
        byte[] bytes = new byte[Math.max(length, 8)];
        random.nextBytes(bytes);
        MemorySegment source = MemorySegment.ofArray(bytes);
        if (length == 1) {
            writes.putByte(offset, bytes[0]);
        } else if (length == 2) {
            writes.putShort(offset, source.get(ValueLayout.JAVA_SHORT_UNALIGNED, 0));
        } else if (length == 4) {
            writes.putInt(offset, source.get(ValueLayout.JAVA_INT_UNALIGNED, 0));
        } else if (length == 8) {
            writes.putLong(offset, source.get(ValueLayout.JAVA_LONG_UNALIGNED, 0));
        } else {
            writes.put(offset, source, 0, length);
        }
        System.arraycopy(bytes, 0, expected, offset, length);
        written.set(offset, offset + length);
    }

    private void readSomething(Random random, byte[] expected, String where) {
        MemorySegment bytes = MemorySegment.ofArray(expected);
        int at = random.nextInt(SIZE - 8);
        assertThat(writes.getLong(memory, at))
                .as(where)
                .isEqualTo(bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
        assertThat(writes.getInt(memory, at))
                .as(where)
                .isEqualTo(bytes.get(ValueLayout.JAVA_INT_UNALIGNED, at));
        assertThat(writes.getShort(memory, at))
                .as(where)
                .isEqualTo(bytes.get(ValueLayout.JAVA_SHORT_UNALIGNED, at));
        assertThat(writes.getByte(memory, at)).as(where).isEqualTo(expected[at]);
        int length = random.nextInt(SIZE - at);
        byte[] read = new byte[length];
        writes.get(memory, at, MemorySegment.ofArray(read), 0, length);
        assertThat(read).as(where).isEqualTo(Arrays.copyOfRange(expected, at, at + length));
    }

    private void assertRangesAreExactly(BitSet written, String where) {
        BitSet ranges = new BitSet();
        for (int i = 0; i < writes.size(); i++) {
            assertThat(writes.length(i)).as(where).isPositive();
            if (i > 0) {
                assertThat(writes.offset(i))
                        .as("apart from the range before, " + where)
                        .isGreaterThan(writes.offset(i - 1) + writes.length(i - 1));
            }
            ranges.set((int) writes.offset(i), (int) (writes.offset(i) + writes.length(i)));
        }
        assertThat(ranges).as(where).isEqualTo(written);
    }
}
