package io.farheap.testing;

import io.farheap.layout.Checksum;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.layout.PoolHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A copy of a part file with a few words of its metadata changed. Every second one has its
 * checksums made right again, so that what stands behind them is reached.
 */
public final class DamagedImage {
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final long LANES = Descriptor.DEFAULT_LANES_OFFSET;
    private static final long HEAP = Descriptor.DEFAULT_HEAP_OFFSET;
    private static final long HEAP_HEADER = 1024;
    private static final long ZONE_META = 524_288;

    /** Header, descriptor, lanes, heap header, chunk headers, chunks. */
    private static final long[] REGIONS = {
        0, Descriptor.OFFSET, LANES, HEAP, HEAP + HEAP_HEADER, HEAP + HEAP_HEADER + ZONE_META
    };

    private final MemorySegment image;
    private final Random random;

    private DamagedImage(byte[] bytes, Random random) {
        this.image = MemorySegment.ofArray(bytes);
        this.random = random;
    }

    /** The damaged copy. */
    public static byte[] of(byte[] intact, Random random) {
        byte[] bytes = intact.clone();
        DamagedImage damaged = new DamagedImage(bytes, random);
        List<Long> changed = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            changed.add(damaged.changeOne());
        }
        if (random.nextBoolean()) {
            damaged.seal(changed);
        }
        return bytes;
    }

    /**
     * Copies in which one entry of one log that is valid leads elsewhere, each with the checksum
     * that belongs to it: for every such entry, one to every one of {@code targets}.
     */
    public static Stream<byte[]> misled(byte[] intact, long... targets) {
        return new DamagedImage(intact, new Random(0))
                .validEntries().stream()
                        .flatMap(
                                entry ->
                                        Arrays.stream(targets)
                                                .mapToObj(target -> misled(intact, entry, target)));
    }

    private static byte[] misled(byte[] intact, long entry, long target) {
        byte[] bytes = intact.clone();
        DamagedImage copy = new DamagedImage(bytes, new Random(0));
        long operation = copy.image.get(LONG, entry) & 7L << 61;
        copy.image.set(LONG, entry, operation | target);
        copy.sealLane(entry - (entry - LANES) % LaneLayout.SIZE);
        return bytes;
    }

    private List<Long> validEntries() {
        List<Long> entries = new ArrayList<>();
        for (long lane = LANES; lane + LaneLayout.SIZE <= HEAP; lane += LaneLayout.SIZE) {
            addRedo(entries, lane + LaneLayout.INTERNAL_REDO, LaneLayout.INTERNAL_REDO_CAPACITY);
            addRedo(entries, lane + LaneLayout.EXTERNAL_REDO, LaneLayout.EXTERNAL_REDO_CAPACITY);
            if (entries.isEmpty()) {
                addUndo(entries, lane + LaneLayout.UNDO);
            }
        }
        return entries;
    }

    private void addRedo(List<Long> entries, long log, long capacity) {
        long data = log + LogLayout.HEADER_SIZE;
        long used = 0;
        while (used < capacity && image.get(LONG, data + used) != 0) {
            used += LogLayout.WORD_ENTRY_SIZE;
        }
        long sum = sumOf(log, LogLayout.HEADER_SIZE + used, LogLayout.CHECKSUM);
        if (used > 0 && image.get(LONG, log + LogLayout.CHECKSUM) == sum) {
            for (long at = data; at < data + used; at += LogLayout.WORD_ENTRY_SIZE) {
                entries.add(at);
            }
        }
    }

    private void addUndo(List<Long> entries, long log) {
        long genNum = image.get(LONG, log + LogLayout.GEN_NUM);
        long at = log + LogLayout.HEADER_SIZE;
        long end = at + LaneLayout.UNDO_CAPACITY;
        while (at < end && image.get(LONG, at) != 0) {
            long stored = image.get(LONG, at + LogLayout.BUFFER_CHECKSUM);
            long entry = at;
            at += sealEntry(entry, end - entry, genNum);
            if (stored != image.get(LONG, entry + LogLayout.BUFFER_CHECKSUM)) {
                image.set(LONG, entry + LogLayout.BUFFER_CHECKSUM, stored);
                return;
            }
            entries.add(entry);
        }
    }

    private long changeOne() {
        long at = place();
        long old = image.get(LONG, at);
        long value =
                switch (random.nextInt(7)) {
                    case 0 -> 0;
                    case 1 -> random.nextLong();
                    case 2 -> old ^ 1L << random.nextInt(64);
                    case 3 -> old + (random.nextInt(9) - 4) * 8L;
                    case 4 -> random.nextLong(2 * image.byteSize()) & -8L;
                    case 5 -> (old & 7L << 61) | random.nextLong(2 * image.byteSize());
                    default -> old ^ random.nextInt(16) | (long) random.nextInt(16) << 16;
                };
        image.set(LONG, at, value);
        return at;
    }

    /** A word that says something, in a region taken at random. */
    private long place() {
        int region = random.nextInt(REGIONS.length);
        long from = REGIONS[region];
        long to = region + 1 == REGIONS.length ? image.byteSize() : REGIONS[region + 1];
        long at = from + (random.nextLong(to - from) & -8L);
        for (long tried = 0; tried < to - from; tried += Long.BYTES) {
            long word = image.get(LONG, at);
            if (word != 0 && !isFreshCapacity(region, word)) {
                return at;
            }
            at = at + Long.BYTES < to ? at + Long.BYTES : from;
        }
        return at;
    }

    /** Nearly all that lanes hold; damaged now and then only. */
    private boolean isFreshCapacity(int region, long word) {
        return region == 2 && word % 64 == 0 && word <= 2048 && random.nextInt(500) != 0;
    }

    private void seal(List<Long> changed) {
        PoolHeader header = new PoolHeader(image.asSlice(0, PoolHeader.SIZE));
        header.link(header.links());
        if (image.byteSize() < HEAP + HEAP_HEADER) {
            return;
        }
        sum(Descriptor.OFFSET, Descriptor.CHECKSUMMED_SIZE, Descriptor.CHECKSUMMED_SIZE - 8);
        sum(HEAP, HEAP_HEADER, HEAP_HEADER - 8);
        for (long at : changed) {
            if (at >= LANES && at < HEAP) {
                sealLane(at - (at - LANES) % LaneLayout.SIZE);
            }
        }
    }

    private void sum(long offset, long length, long hole) {
        image.set(LONG, offset + hole, sumOf(offset, length, hole));
    }

    private long sumOf(long offset, long length, long hole) {
        return Checksum.of(image, offset, length, hole, Checksum.NO_SKIP);
    }

    private void sealLane(long lane) {
        sealRedo(lane + LaneLayout.INTERNAL_REDO, LaneLayout.INTERNAL_REDO_CAPACITY);
        sealRedo(lane + LaneLayout.EXTERNAL_REDO, LaneLayout.EXTERNAL_REDO_CAPACITY);
        long genNum = image.get(LONG, lane + LaneLayout.UNDO + LogLayout.GEN_NUM);
        long data = lane + LaneLayout.UNDO + LogLayout.HEADER_SIZE;
        for (long at = data; at < data + LaneLayout.UNDO_CAPACITY; ) {
            at += sealEntry(at, data + LaneLayout.UNDO_CAPACITY - at, genNum);
        }
    }

    private void sealRedo(long log, long capacity) {
        long used = 0;
        while (used < capacity && image.get(LONG, log + LogLayout.HEADER_SIZE + used) != 0) {
            used += LogLayout.WORD_ENTRY_SIZE;
        }
        if (used > 0) {
            sum(log, LogLayout.HEADER_SIZE + used, LogLayout.CHECKSUM);
        }
    }

    private long sealEntry(long entry, long room, long genNum) {
        long size = image.get(LONG, entry + LogLayout.BUFFER_SIZE);
        long bytes = LogLayout.up64(LogLayout.BUFFER_DATA + size);
        if (image.get(LONG, entry) == 0 || size < 0 || bytes <= 0 || bytes > room) {
            return LogLayout.BUFFER_ALIGNMENT;
        }
        long hole = LogLayout.BUFFER_CHECKSUM;
        image.set(LONG, entry + hole, Checksum.continued(sumOf(entry, bytes, hole), genNum));
        return bytes;
    }
}
