package io.farheap.replication.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.replication.journal.RecordReader.Verdict;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordCodecTest {
    private static final long EPOCH = 0x1234_5678_9abcL;
    private static final int CAPACITY = 8192;

    private final MemorySegment ring = Arena.ofAuto().allocate(CAPACITY, 64);
    private final RecordEncoder encoder = new RecordEncoder(ring);
    private final RecordReader reader = new RecordReader(ring);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatIsEncodedIsReadAgain(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            List<Entry> entries = Entry.some(random);
            long offset = 64L * random.nextInt(20);
            long committed = random.nextLong();
            encode(offset, round + 1, committed, entries);

            assertThat(reader.read(offset, EPOCH, round + 1))
                    .as("seed %d round %d", seed, round)
                    .isEqualTo(Verdict.VALID);
            reader.checkEntries(0, 1L << 40);
            assertThat(replayed()).as("seed %d round %d", seed, round).isEqualTo(entries);
            assertThat(reader.committedUpTo()).isEqualTo(committed);
            assertThat(reader.sequence()).isEqualTo(round + 1);
            assertThat(reader.isEmpty()).isEqualTo(entries.isEmpty());
            assertThat(reader.length())
                    .isEqualTo(RecordLayout.span(Entry.bytes(entries)))
                    .isGreaterThanOrEqualTo(64)
                    .matches(length -> length % 64 == 0);
        }
    }

    /** Its CRC is made of pieces, while it is copied. */
    @ParameterizedTest
    @ValueSource(ints = {(16 << 10) - 1, 16 << 10, (16 << 10) + 1, 100_000, 256 << 10})
    void aLongEntryIsReadAgain(int length) {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        List<Entry> entries =
                List.of(
                        new Entry('s', 64, 5, null),
                        new Entry('c', 4096, 0, content),
                        new Entry('o', 72, 6, null));
        MemorySegment wide = Arena.ofAuto().allocate(1 << 19, 64);
        RecordEncoder into = new RecordEncoder(wide);
        RecordReader from = new RecordReader(wide);
        into.begin(128, EPOCH, 3, 2, Entry.bytes(entries));
        entries.forEach(entry -> entry.writeTo(into));
        into.end();

        assertThat(from.read(128, EPOCH, 3)).isEqualTo(Verdict.VALID);
        List<Entry> seen = new ArrayList<>();
        from.replay(Entry.collector(seen));
        assertThat(seen).isEqualTo(entries);
        long last = 128L + RecordLayout.ENTRIES + 16 + 16 + length - 1;
        wide.set(ValueLayout.JAVA_BYTE, last, (byte) ~content[length - 1]);
        assertThat(from.read(128, EPOCH, 3)).isEqualTo(Verdict.BAD_CRC);
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void anyChangedBitIsSeen(long seed) {
        Random random = new Random(seed);
        List<Entry> entries = Entry.some(random);
        encode(64, 7, 3, entries);
        int span = (int) RecordLayout.span(Entry.bytes(entries));
        for (int bit = 0; bit < span * 8; bit++) {
            flip(64, bit);
            assertThat(reader.read(64, EPOCH, 7))
                    .as("seed %d bit %d", seed, bit)
                    .isNotEqualTo(Verdict.VALID);
            flip(64, bit);
        }
        assertThat(reader.read(64, EPOCH, 7)).isEqualTo(Verdict.VALID);
    }

    @Test
    void tornRecordIsRejectedWhateverOf64BytesIsMissing() {
        encode(0, 1, 0, List.of(new Entry('c', 4096, 0, new byte[500])));
        byte[] before = ring.asSlice(0, 640).toArray(ValueLayout.JAVA_BYTE);
        encode(0, 2, 1, List.of(new Entry('c', 4096, 0, filled(500))));
        byte[] after = ring.asSlice(0, 640).toArray(ValueLayout.JAVA_BYTE);
        for (int arrived = 0; arrived < (1 << 9) - 1; arrived++) {
            for (int line = 0; line < 9; line++) {
                byte[] from = (arrived >> line & 1) == 1 ? after : before;
                MemorySegment.copy(MemorySegment.ofArray(from), line * 64L, ring, line * 64L, 64);
            }
            assertThat(reader.read(0, EPOCH, 2))
                    .as("lines %x", arrived)
                    .isNotEqualTo(Verdict.VALID);
        }
    }

    @Test
    void recordOfAnotherEpochEndsTheStreamThoughItIsWhole() {
        encoder.begin(0, EPOCH - 2, 1, 0, 16);
        encoder.set(4096, 1);
        encoder.end();
        assertThat(reader.read(0, EPOCH, 1)).isEqualTo(Verdict.OTHER_EPOCH);
        assertThat(reader.read(0, EPOCH - 2, 1)).isEqualTo(Verdict.VALID);
    }

    /** What lies there of old must not keep a replica from being opened. */
    @Test
    void aRecordOfAnotherVersionIsOneOnlyWhenItIsWhole() {
        encode(64, 7, 3, List.of(new Entry('s', 4096, 1, null)));
        ring.set(RecordLayout.INT, 64 + 40, 2);
        assertThat(reader.read(64, EPOCH, 7)).isEqualTo(Verdict.BAD_CRC);
        mendChecksum(64, 128);
        assertThat(reader.read(64, EPOCH, 7)).isEqualTo(Verdict.OTHER_VERSION);
        assertThat(reader.read(64, EPOCH, 8)).isEqualTo(Verdict.OTHER_SEQUENCE);
        assertThat(reader.read(64, EPOCH + 2, 7)).isEqualTo(Verdict.OTHER_EPOCH);
    }

    @Test
    void recordOfThePreviousLapEndsTheStreamThoughItIsWhole() {
        encode(0, 1, 0, List.of(new Entry('s', 4096, 1, null)));
        assertThat(reader.read(0, EPOCH, 129)).isEqualTo(Verdict.OTHER_SEQUENCE);
    }

    /** Each check catches what all others let pass: the damage is followed by a fitting CRC. */
    @ParameterizedTest
    @EnumSource(
            value = Verdict.class,
            names = {"VALID", "OTHER_EPOCH", "OTHER_SEQUENCE"},
            mode = EnumSource.Mode.EXCLUDE)
    void everyCheckIsNeeded(Verdict expected) {
        encode(64, 7, 3, List.of(new Entry('s', 4096, 1, null)));
        switch (expected) {
            case NO_RECORD -> ring.set(RecordLayout.INT, 64 + 4, 2);
            case OTHER_VERSION -> ring.set(RecordLayout.INT, 64 + 40, 2);
            case BAD_LENGTH -> ring.set(RecordLayout.INT, 64 + 32, 256);
            case BAD_TRAILER -> ring.set(RecordLayout.LONG, 64 + 120, RecordLayout.trailer(7, 8));
            default -> ring.set(RecordLayout.LONG, 64 + 56, 99);
        }
        if (expected != Verdict.BAD_CRC) {
            mendChecksum(64, 128);
        }
        assertThat(reader.read(64, EPOCH, 7)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 32, 96, -64, CAPACITY, CAPACITY - 64, Integer.MIN_VALUE})
    void lengthThatLeadsAstrayIsRejected(int length) {
        encoder.skip(128, EPOCH, 3, 0, 64);
        ring.set(RecordLayout.INT, 128 + 32, length);
        mendChecksum(128, 64);
        assertThat(reader.read(128, EPOCH, 3)).isEqualTo(Verdict.BAD_LENGTH);
    }

    @ParameterizedTest
    @ValueSource(ints = {-8, 4, 8, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void entryBytesThatContradictTheLengthAreRejected(int entryBytes) {
        encode(128, 3, 0, List.of(new Entry('s', 4096, 1, null)));
        ring.set(RecordLayout.INT, 128 + 36, entryBytes == 8 ? 160 : entryBytes);
        mendChecksum(128, 128);
        assertThat(reader.read(128, EPOCH, 3)).isEqualTo(Verdict.BAD_LENGTH);
    }

    @Test
    void skipLeadsToTheEndOfTheLap() {
        encoder.skip(CAPACITY - 640, EPOCH, 5, 2, 640);
        assertThat(reader.read(CAPACITY - 640, EPOCH, 5)).isEqualTo(Verdict.VALID);
        assertThat(reader.isEmpty()).isTrue();
        assertThat(reader.length()).isEqualTo(640);
    }

    @Test
    void entriesOutsideTheImageAreNamedBeforeOneIsUsed() {
        assertBadEntry(new Entry('s', 1 << 20, 1, null), "outside");
        assertBadEntry(new Entry('s', (1 << 20) - 4, 1, null), "unaligned");
        assertBadEntry(new Entry('s', 4088, 1, null), "outside of 4096");
        assertBadEntry(new Entry('a', RecordLayout.OFFSET_MASK - 7, 1, null), "outside");
        assertBadEntry(new Entry('c', (1 << 20) - 10, 0, new byte[11]), "outside");
        encode(0, 1, 0, List.of(new Entry('c', (1 << 20) - 11, 0, new byte[11])));
        assertThat(reader.read(0, EPOCH, 1)).isEqualTo(Verdict.VALID);
        reader.checkEntries(4096, 1 << 20);
    }

    private void assertBadEntry(Entry entry, String what) {
        encode(0, 1, 0, List.of(new Entry('o', 8192, 1, null), entry));
        assertThat(reader.read(0, EPOCH, 1)).isEqualTo(Verdict.VALID);
        assertThatThrownBy(() -> reader.checkEntries(4096, 1 << 20))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("record 1: the entry at byte 64")
                .hasMessageContaining(what);
    }

    @Test
    void entriesThatLieAboutThemselvesAreNamed() {
        encode(0, 1, 0, List.of(new Entry('c', 4096, 0, new byte[40])));
        for (long length : new long[] {41, 1 << 30, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            ring.set(RecordLayout.LONG, 56, length);
            mendChecksum(0, 128);
            assertThat(reader.read(0, EPOCH, 1)).isEqualTo(Verdict.VALID);
            assertThatThrownBy(() -> reader.checkEntries(4096, 1 << 20))
                    .hasMessageContaining("more than the record holds");
        }
        ring.set(RecordLayout.LONG, 48, 3L << 61);
        mendChecksum(0, 128);
        assertThat(reader.read(0, EPOCH, 1)).isEqualTo(Verdict.VALID);
        assertThatThrownBy(() -> reader.checkEntries(4096, 1 << 20))
                .hasMessageContaining("unknown kind 3");
    }

    @Test
    void announcedAndWrittenEntriesMustAgree() {
        encoder.begin(0, EPOCH, 1, 0, 16);
        assertThatThrownBy(encoder::end).hasMessageContaining("shorter than announced");
        encoder.set(8, 1);
        assertThatThrownBy(() -> encoder.set(16, 1)).hasMessageContaining("longer than announced");
        assertThatThrownBy(() -> encoder.begin(CAPACITY - 64, EPOCH, 1, 0, 16))
                .hasMessageContaining("does not fit");
    }

    private void encode(long offset, long sequence, long committed, List<Entry> entries) {
        encoder.begin(offset, EPOCH, sequence, committed, Entry.bytes(entries));
        entries.forEach(entry -> entry.writeTo(encoder));
        encoder.end();
    }

    private List<Entry> replayed() {
        List<Entry> seen = new ArrayList<>();
        reader.replay(Entry.collector(seen));
        return seen;
    }

    private void flip(long offset, int bit) {
        long at = offset + bit / 8;
        byte old = ring.get(ValueLayout.JAVA_BYTE, at);
        ring.set(ValueLayout.JAVA_BYTE, at, (byte) (old ^ 1 << bit % 8));
    }

    private void mendChecksum(long begin, long span) {
        CRC32C crc = new CRC32C();
        crc.update(ring.asSlice(begin + 4, span - 4).asByteBuffer());
        ring.set(RecordLayout.INT, begin, (int) crc.getValue());
    }

    private static byte[] filled(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i + 1);
        }
        return bytes;
    }

    /** An entry as a value. */
    private static final class Entry {
        private final char kind;
        private final long offset;
        private final long value;
        private final byte[] bytes;

        Entry(char kind, long offset, long value, byte[] bytes) {
            this.kind = kind;
            this.offset = offset;
            this.value = value;
            this.bytes = bytes;
        }

        static List<Entry> some(Random random) {
            List<Entry> entries = new ArrayList<>();
            for (int n = random.nextInt(12); n > 0; n--) {
                char kind = "saoc".charAt(random.nextInt(4));
                long offset = 8L * random.nextInt(1 << 20);
                byte[] bytes = kind == 'c' ? new byte[random.nextInt(200)] : null;
                if (bytes != null) {
                    random.nextBytes(bytes);
                }
                entries.add(new Entry(kind, offset, bytes == null ? random.nextLong() : 0, bytes));
            }
            return entries;
        }

        static long bytes(List<Entry> entries) {
            return entries.stream()
                    .mapToLong(
                            e ->
                                    e.bytes == null
                                            ? RecordEntries.WORD_ENTRY_BYTES
                                            : RecordEntries.copyEntryBytes(e.bytes.length))
                    .sum();
        }

        void writeTo(RecordEntries to) {
            switch (kind) {
                case 's' -> to.set(offset, value);
                case 'a' -> to.and(offset, value);
                case 'o' -> to.or(offset, value);
                default -> to.copy(offset, MemorySegment.ofArray(bytes), 0, bytes.length);
            }
        }

        static RecordEntries collector(List<Entry> into) {
            return new RecordEntries() {
                @Override
                public void set(long offset, long value) {
                    into.add(new Entry('s', offset, value, null));
                }

                @Override
                public void and(long offset, long mask) {
                    into.add(new Entry('a', offset, mask, null));
                }

                @Override
                public void or(long offset, long mask) {
                    into.add(new Entry('o', offset, mask, null));
                }

                @Override
                public void copy(long offset, MemorySegment source, long from, long length) {
                    byte[] bytes = source.asSlice(from, length).toArray(ValueLayout.JAVA_BYTE);
                    into.add(new Entry('c', offset, 0, bytes));
                }
            };
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Entry && toString().equals(other.toString());
        }

        @Override
        public int hashCode() {
            return toString().hashCode();
        }

        @Override
        public String toString() {
            String data = bytes == null ? "" + value : HexFormat.of().formatHex(bytes);
            return kind + " " + offset + " " + data;
        }
    }

    private static final long NANOS_OF_CHANGES =
            Boolean.getBoolean("test.deep") ? 1_000_000_000 : 250_000_000;

    /** The ring is memory that the initiator stores to as it likes, the network card between. */
    @ParameterizedTest
    @Tag("sliced")
    @ValueSource(ints = {RecordLayout.LENGTH, RecordLayout.ENTRY_BYTES})
    void whatChangesWhileItIsReadIsNeverUsedUnchecked(int field) throws InterruptedException {
        MemorySegment ring = Arena.ofShared().allocate(1 << 16, 64);
        new RecordEncoder(ring).skip(0, 42, 1, 0, RecordLayout.EMPTY_BYTES);
        int good = ring.get(RecordLayout.INT, field);
        int evil = field == RecordLayout.LENGTH ? -64 : 0x7fffff80;
        ring.set(RecordLayout.INT, field, evil);
        int sum = RecordEncoder.checksum(ring.asByteBuffer(), new CRC32C(), 0, 64);
        ring.set(RecordLayout.INT, RecordLayout.CRC, sum);
        AtomicBoolean stop = new AtomicBoolean();
        Thread writer =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    while (!stop.get()) {
                                        ring.set(RecordLayout.INT, field, good);
                                        VarHandle.fullFence();
                                        ring.set(RecordLayout.INT, field, evil);
                                        VarHandle.fullFence();
                                    }
                                });
        try {
            RecordReader reader = new RecordReader(ring);
            long begin = System.nanoTime();
            while (System.nanoTime() - begin < NANOS_OF_CHANGES) {
                if (reader.read(0, 42, 1) == RecordReader.Verdict.VALID) {
                    assertThat(reader.length()).isEqualTo(RecordLayout.EMPTY_BYTES);
                }
            }
        } finally {
            stop.set(true);
            writer.join();
        }
    }
}
