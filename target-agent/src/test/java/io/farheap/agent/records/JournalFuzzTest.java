package io.farheap.agent.records;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.fuzz.Give;
import io.farheap.fuzz.Inputs;
import io.farheap.fuzz.Take;
import io.farheap.layout.Descriptor;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes in the ring, sealed with right checksums where the input says so: what is replayed
 * changes only what a record may change, the footprint names all of it, both are found in bounded
 * time and memory, and a record that changes while it is applied changes nothing else either.
 */
class JournalFuzzTest {
    private static final int RING = 32 << 10;
    private static final long HEAP = Descriptor.DEFAULT_HEAP_OFFSET;
    private static final long IMAGE = HEAP + (64 << 10);
    private static final long EPOCH = 1000;
    private static final long FREE_BYTES = 8 << 20;
    private static final long SECONDS = 5;

    /** How the bytes of a step get into the ring. */
    private static final int RAW = 0;

    private static final int SEALED = 1;

    /** Written over the ring when the records have been verified and are being applied. */
    private static final int LATE = 2;

    private final MemorySegment ring = Arena.ofAuto().allocate(RING, 64);
    private final MemorySegment bytes = Arena.ofAuto().allocate(IMAGE, 64);
    private final PoolMemory image = new PoolMemory(bytes, new Unflushed());
    private final ImageBounds bounds = new ImageBounds(HEAP, IMAGE);
    private final List<byte[]> late = new ArrayList<>();
    private final List<Integer> lateAt = new ArrayList<>();

    @Test
    @Tag("sliced")
    void inputs() throws Exception {
        Inputs.replay(getClass(), "anything", Inputs.sliced(seeds()), JournalFuzzTest::take);
    }

    @Tag("fuzz")
    @MethodSource("seeds")
    @FuzzTest
    void anything(byte[] input) throws Exception {
        Inputs.again(JournalFuzzTest::take, input);
    }

    static Stream<byte[]> seeds() {
        MemorySegment ring = Arena.ofAuto().allocate(RING, 64);
        RecordWriter writer = new RecordWriter(ring, EPOCH);
        MemorySegment source = MemorySegment.ofArray(new byte[500]).fill((byte) 3);
        writer.set(0, HEAP, 5)
                .record(1, 48, e -> copyAnd(e, source))
                .set(2, Descriptor.ROOT_OFFSET, HEAP)
                .set(2, Descriptor.ROOT_SIZE, 64)
                .set(2, Descriptor.HEAP_SIZE, 4096)
                .empty(3)
                .record(5, 16 + 504, e -> e.copy(HEAP + 77, source, 0, 500))
                .fillTheLap(6);
        byte[] honest = ring.asSlice(0, 2048).toArray(ValueLayout.JAVA_BYTE);
        List<byte[]> seeds = new ArrayList<>();
        seeds.add(new Give().octet(RAW).small(0).small(honest.length).bytes(honest).toBytes());
        long[] offsets = {
            0,
            8,
            4096,
            Descriptor.RUN_ID,
            Descriptor.ROOT_OFFSET,
            Descriptor.ROOT_SIZE,
            8192,
            HEAP - 8,
            HEAP - 1,
            HEAP,
            IMAGE - 8,
            IMAGE,
            IMAGE + 8,
            Long.MAX_VALUE >>> 3
        };
        for (long offset : offsets) {
            for (long kind : new long[] {0, 1, 2, 3, 6, 7}) {
                for (long value : new long[] {0, 16, -1, 1L << 40}) {
                    byte[] entry =
                            new Give()
                                    .number(kind << 61 | offset)
                                    .number(value)
                                    .bytes(new byte[16])
                                    .toBytes();
                    seeds.add(sealed(new Give(), 0, 1, entry).toBytes());
                    byte[] good = new Give().number(HEAP + 64).number(1).toBytes();
                    Give raced =
                            sealed(new Give(), 0, 1, new Give().bytes(good).bytes(good).toBytes());
                    raced.octet(LATE).small(RecordHead.BYTES).small(entry.length).bytes(entry);
                    seeds.add(raced.toBytes());
                }
            }
        }
        return seeds.stream();
    }

    private static void copyAnd(io.farheap.spi.RecordEntries entries, MemorySegment source) {
        entries.copy(HEAP + 3, source, 0, 9);
        entries.and(HEAP + 64, 255);
    }

    private static Give sealed(Give input, int at, int sequence, byte[] entries) {
        return input.octet(SEALED)
                .small(at)
                .small(sequence)
                .small(entries.length)
                .small(entries.length)
                .bytes(entries);
    }

    private static void take(byte[] input) throws Exception {
        new JournalFuzzTest().run(input);
    }

    private void run(byte[] input) throws Exception {
        bytes.fill((byte) 0x55);
        fill(new Take(input));
        ReplicaSlot slot =
                new ReplicaSlot(ReplicaState.INSYNC, EPOCH, 0, EPOCH, 0, 0, EPOCH, 1, false, 0);
        Inputs.bounded(SECONDS, FREE_BYTES + 100L * input.length, () -> replay(slot));
    }

    private void fill(Take from) {
        while (!from.isEmpty()) {
            int how = from.octet() % 3;
            int at = from.small() % RING;
            if (how == SEALED) {
                int sequence = from.small();
                int claimed = from.small();
                new RecordHead(at & -64, sequence, claimed).write(from.bytes(from.small()), ring);
            } else {
                byte[] raw = from.bytes(from.small());
                if (how == LATE) {
                    late.add(raw);
                    lateAt.add(at);
                } else {
                    write(at, raw);
                }
            }
        }
    }

    private void write(int at, byte[] raw) {
        int length = Math.min(raw.length, RING - at);
        MemorySegment.copy(raw, 0, ring, ValueLayout.JAVA_BYTE, at, length);
    }

    private RecordCursor cursor() {
        return new RecordCursor(ring, bounds, IMAGE);
    }

    private void replay(ReplicaSlot slot) {
        RecordCursor cursor = cursor();
        cursor.moveTo(EPOCH, 0, 0);
        while (cursor.peek(RING)) {
            cursor.step();
        }
        long end = cursor.position();
        assertThat(end).isBetween(0L, (long) RING);
        List<ByteRange> footprint = new RecordApplier("r", cursor(), image).footprint(slot, end);
        requireOrder(footprint);
        RecordApplier applier = new RecordApplier("r", cursor(), image);
        long count = applier.replay(slot, Long.MAX_VALUE, end, Long.MAX_VALUE);
        assertThat(count).isEqualTo(cursor.sequence());
        requireUnchangedBut(footprint);
        if (!late.isEmpty()) {
            bytes.fill((byte) 0x55);
            race(cursor());
            requireUnchangedBut(
                    List.of(
                            new ByteRange(Descriptor.ROOT_OFFSET, 8),
                            new ByteRange(Descriptor.ROOT_SIZE, 8),
                            new ByteRange(Descriptor.HEAP_SIZE, 16),
                            new ByteRange(HEAP, IMAGE - HEAP)));
        }
    }

    /** Applies one record, which is overwritten between its verification and that. */
    private void race(RecordCursor cursor) {
        cursor.moveTo(EPOCH, 0, 0);
        if (!cursor.peek(RING)) {
            return;
        }
        for (int i = 0; i < late.size(); i++) {
            write(lateAt.get(i), late.get(i));
        }
        try {
            cursor.replay(new ImageWriter(image, bounds));
        } catch (FarheapException e) {
            assertThat(e.category()).isEqualTo(Category.BAD_DATA);
        }
    }

    private static void requireOrder(List<ByteRange> footprint) {
        long end = 0;
        for (ByteRange range : footprint) {
            assertThat(range.offset()).isGreaterThan(end);
            end = range.offset() + range.length();
            boolean heap = range.offset() >= HEAP && end <= IMAGE;
            boolean words =
                    range.offset() >= Descriptor.ROOT_OFFSET
                            && end <= Descriptor.CURR_ALLOCATED + 8
                            && (range.offset() > Descriptor.RUN_ID || end <= Descriptor.RUN_ID);
            assertThat(heap || words).as("%s", range).isTrue();
        }
    }

    private void requireUnchangedBut(List<ByteRange> footprint) {
        long from = 0;
        for (ByteRange range : footprint) {
            requireUnchanged(from, range.offset());
            from = range.offset() + range.length();
        }
        requireUnchanged(from, IMAGE);
    }

    private void requireUnchanged(long from, long to) {
        long found = MemorySegment.mismatch(bytes, from, to, UNTOUCHED, from, to);
        assertThat(found).as("from %d to %d", from, to).isEqualTo(-1);
    }

    private static final MemorySegment UNTOUCHED =
            Arena.global().allocate(IMAGE, 64).fill((byte) 0x55);

    private static final class Unflushed implements Persistence {
        @Override
        public void flush(long offset, long length) {
            assertThat(offset >= 0 && length >= 0 && offset + length <= IMAGE).isTrue();
        }

        @Override
        public void fence() {}
    }

    /** A record's frame, written by the format's description: what it carries may be anything. */
    private record RecordHead(int at, int sequence, int claimed) {
        static final int BYTES = 48;

        void write(byte[] entries, MemorySegment ring) {
            int span = (BYTES + claimed + 8 + 63) & -64;
            if (at + span > RING) {
                return;
            }
            ByteBuffer record = ByteBuffer.allocate(span).order(ByteOrder.LITTLE_ENDIAN);
            record.putInt(4, 0x31524846).putLong(8, EPOCH).putLong(16, sequence);
            record.putLong(24, sequence - 1L).putInt(32, span).putInt(36, claimed).putInt(40, 1);
            record.put(BYTES, entries, 0, Math.min(entries.length, span - BYTES - 8));
            record.putLong(span - 8, RecordLayout.trailer(EPOCH, sequence));
            CRC32C crc = new CRC32C();
            crc.update(record.array(), 4, span - 4);
            record.putInt(0, (int) crc.getValue());
            MemorySegment.copy(record.array(), 0, ring, ValueLayout.JAVA_BYTE, at, span);
        }
    }
}
