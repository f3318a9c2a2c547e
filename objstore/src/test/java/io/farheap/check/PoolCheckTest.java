package io.farheap.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.farheap.ObjectPool;
import io.farheap.base.CheckReport;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Inconsistency;
import io.farheap.base.Ref;
import io.farheap.base.Structure;
import io.farheap.layout.Checksum;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.testing.GoldenVectors;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a check finds in a closed pool, damage by damage, and that it finds nothing where none is.
 */
class PoolCheckTest {
    private static final long LANES = Descriptor.DEFAULT_LANES_OFFSET;
    private static final long HEAP = Descriptor.DEFAULT_HEAP_OFFSET;
    private static final long ZONE = HEAP + 1024;
    private static final long CHUNK_HEADERS = ZONE + 64;
    private static final long CHUNKS = ZONE + 524_288;
    private static final long INTERNAL = 0x8000L << 48;

    @TempDir private Path directory;
    private Path file;
    private final List<Ref> small = new ArrayList<>();
    private Ref huge;

    static List<String> vectors() {
        return GoldenVectors.names();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void aPoolOfLibpmemobjIsConsistentAndUntouched(String name) throws IOException {
        GoldenVectors vector = GoldenVectors.unpack(name, directory);
        List<byte[]> before = contents(vector.parts());

        CheckReport report = ObjectPool.check(vector.pool());

        assertThat(report.inconsistencies()).isEmpty();
        assertThat(report.isConsistent()).isTrue();
        List<byte[]> after = contents(vector.parts());
        for (int i = 0; i < before.size(); i++) {
            assertThat(after.get(i)).isEqualTo(before.get(i));
        }
    }

    private static List<byte[]> contents(List<Path> files) throws IOException {
        List<byte[]> all = new ArrayList<>();
        for (Path path : files) {
            all.add(Files.readAllBytes(path));
        }
        return all;
    }

    @BeforeEach
    void aPoolWithObjects() {
        file = directory.resolve("a.pool");
        try (ObjectPool pool = ObjectPool.at(file).layout("check").size(16 << 20).create()) {
            pool.root(500);
            pool.transaction(
                    tx -> {
                        for (int i = 0; i < 100; i++) {
                            small.add(tx.allocateZeroed(100, 7));
                        }
                        huge = tx.allocate(3 << 20, 8);
                        // More undo than a lane holds: it keeps the extension.
                        tx.snapshot(huge, 0, 5000).fill((byte) 1);
                    });
            pool.update(huge, 0, 5000, segment -> segment.fill((byte) 2));
            CheckReport open = pool.check();
            assertThat(open.inconsistencies()).isEmpty();
            assertThat(open.objects()).isEqualTo(101);
            assertThat(open.internalObjects()).isGreaterThan(1);
        }
    }

    @Test
    void aSoundPoolIsConsistent() {
        CheckReport report = ObjectPool.check(file, "check");

        assertThat(report.inconsistencies()).isEmpty();
        assertThat(report.objects()).isEqualTo(101);
    }

    @Test
    void anotherLayoutIsRefusedAndAMissingPoolToo() {
        assertThatThrownBy(() -> ObjectPool.check(file, "other"))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE));
        assertThatThrownBy(() -> ObjectPool.check(directory.resolve("nothing")))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT));
    }

    @Test
    void headerAndDescriptorAndEverythingBehindAreFoundAtOnce() throws IOException {
        flip(24, 1);
        flip(Descriptor.OFFSET + 8, 1);
        flip(lane(3) + LaneLayout.EXTERNAL_REDO + LogLayout.FLAGS, 2);
        flip(headerOf(small.get(5)), 1L << 50);

        assertThat(ObjectPool.check(file).inconsistencies())
                .extracting(Inconsistency::structure, Inconsistency::offset)
                .containsExactly(
                        tuple(Structure.HEADER, 0L),
                        tuple(Structure.DESCRIPTOR, Descriptor.OFFSET),
                        tuple(Structure.HEAP, headerOf(small.get(5))),
                        tuple(Structure.LOG, lane(3) + LaneLayout.EXTERNAL_REDO));
    }

    @Test
    void aLostShutdownStateIsFound() throws IOException {
        // Unsafe shutdown count 5, open: the checksum of these words.
        put(4024, 5);
        put(4024 + 16, 1);
        put(4024 + 56, checksum(4024, 64, 56));

        found(Structure.SHUTDOWN_STATE, 4024, "ADR failure");
    }

    @Test
    void aDescriptorWordIsFound() throws IOException {
        flip(Descriptor.RUN_ID, 1);
        found(Structure.DESCRIPTOR, Descriptor.RUN_ID, "odd");
    }

    @Test
    void aHeapSizeIsFound() throws IOException {
        put(6176, 1L << 40);
        found(Structure.DESCRIPTOR, 6176, "mapped region smaller than the heap size");
    }

    @Test
    void aHeapHeaderIsFound() throws IOException {
        flip(HEAP + 100, 1);
        assertThat(ObjectPool.check(file).inconsistencies())
                .first()
                .returns(Structure.HEAP, Inconsistency::structure)
                .returns(HEAP, Inconsistency::offset);
    }

    @Test
    void anObjectsSizeIsFound() throws IOException {
        flip(headerOf(huge), 64);
        found(Structure.HEAP, headerOf(huge), "an object's header says");
    }

    @Test
    void unknownObjectFlagsAreFound() throws IOException {
        flip(headerOf(small.get(1)), 1L << 48);
        found(Structure.HEAP, headerOf(small.get(1)), "unknown flags 0x1");
    }

    @Test
    void aHalfFreedObjectIsFound() throws IOException {
        // An object of two units, one of which the bitmap calls free.
        Ref two;
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            two = pool.compute(tx -> tx.allocate(200, 9));
        }
        long run = CHUNKS + (headerOf(two) - CHUNKS) / 262_144 * 262_144;
        long unit = (headerOf(two) - run - 320) / 128;
        flip(run + 16 + unit / 64 * 8, 1L << (unit % 64 + 1));

        assertThat(ObjectPool.check(file).inconsistencies())
                .first()
                .returns(Structure.HEAP, Inconsistency::structure)
                .asString()
                .contains("units that the bitmap says are free");
    }

    @Test
    void aChunkHeaderIsFound() throws IOException {
        flip(CHUNK_HEADERS, 7L << 32);
        assertThat(ObjectPool.check(file).inconsistencies())
                .isNotEmpty()
                .allMatch(i -> i.structure() != Structure.HEADER);
    }

    @Test
    void aLostInternalObjectIsFound() throws IOException {
        flip(headerOf(small.get(7)), INTERNAL);
        found(Structure.LOG, small.get(7).offset(), "it is lost");
    }

    @Test
    void anExtensionThatIsNoneIsFound() throws IOException {
        put(lane(700) + LaneLayout.UNDO + LogLayout.NEXT, small.get(3).offset());
        found(
                Structure.LOG,
                lane(700) + LaneLayout.UNDO + LogLayout.NEXT,
                "undo log of lane 700 leads to " + small.get(3).offset());
    }

    @Test
    void anExtensionOfTwoLogsIsFound() throws IOException {
        long link = linkedExtension();
        long other = lane(900) + LaneLayout.UNDO + LogLayout.NEXT;
        put(other, get(link));

        found(Structure.LOG, other, "which another log has already");
    }

    @Test
    void anExtensionsHeaderIsFound() throws IOException {
        long header = LogLayout.extensionHeader(get(linkedExtension()));
        put(header + LogLayout.GEN_NUM, 1L << 40);
        put(header + LogLayout.FLAGS, 8);
        flip(header + LogLayout.CAPACITY, 1 << 20);

        assertThat(ObjectPool.check(file).inconsistencies())
                .first()
                .returns(header, Inconsistency::offset)
                .asString()
                .contains("has a capacity that its object has not");
        flip(header + LogLayout.CAPACITY, 1 << 20);
        assertThat(ObjectPool.check(file).inconsistencies())
                .extracting(Inconsistency::meaning)
                .satisfiesExactly(
                        meaning -> assertThat(meaning).contains("has unknown flags"),
                        meaning -> assertThat(meaning).contains("has generation number"));
    }

    @Test
    void aRootThatIsNoneIsFound() throws IOException {
        put(Descriptor.ROOT_OFFSET, small.get(0).offset() + 16);
        assertThat(ObjectPool.check(file).inconsistencies())
                .extracting(Inconsistency::structure)
                .containsExactly(Structure.ROOT, Structure.LOG);
    }

    @Test
    void aRootLargerThanItsObjectIsFound() throws IOException {
        put(Descriptor.ROOT_SIZE, 1 << 20);
        found(Structure.ROOT, Descriptor.ROOT_SIZE, "1048576 bytes were asked for");
    }

    @Test
    void anInternalLogWithALinkIsFound() throws IOException {
        long log = lane(5) + LaneLayout.INTERNAL_REDO;
        put(log + LogLayout.NEXT, small.get(0).offset());
        found(Structure.LOG, log, "has an extension, which it never gets");
    }

    @Test
    void anUndoLogsHeaderIsFound() throws IOException {
        long log = lane(6) + LaneLayout.UNDO;
        put(log + LogLayout.CAPACITY, 4096);
        found(Structure.LOG, log, "has a capacity of 4096");
    }

    /** The link of a lane's undo log that kept its extension. */
    private long linkedExtension() throws IOException {
        for (int i = 0; i < 1024; i++) {
            long link = lane(i) + LaneLayout.UNDO + LogLayout.NEXT;
            if (get(link) != 0) {
                return link;
            }
        }
        throw new AssertionError("no lane has an extension");
    }

    private static long lane(int index) {
        return LANES + index * LaneLayout.SIZE;
    }

    private static long headerOf(Ref object) {
        return object.offset() - 16;
    }

    private void found(Structure structure, long offset, String meaning) {
        CheckReport report = ObjectPool.check(file);

        assertThat(report.isConsistent()).isFalse();
        assertThat(report.inconsistencies())
                .singleElement()
                .returns(structure, Inconsistency::structure)
                .returns(offset, Inconsistency::offset)
                .returns(file, Inconsistency::file)
                .asString()
                .contains(meaning)
                .contains(file.toString());
    }

    private void flip(long offset, long bits) throws IOException {
        put(offset, get(offset) ^ bits);
    }

    private long get(long offset) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
            bytes.seek(offset);
            return Long.reverseBytes(bytes.readLong());
        }
    }

    private void put(long offset, long value) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(offset);
            bytes.writeLong(Long.reverseBytes(value));
        }
    }

    private long checksum(long offset, int length, long hole) throws IOException {
        byte[] bytes = new byte[length];
        try (RandomAccessFile from = new RandomAccessFile(file.toFile(), "r")) {
            from.seek(offset);
            from.readFully(bytes);
        }
        return Checksum.of(MemorySegment.ofArray(bytes), 0, length, hole, Checksum.NO_SKIP);
    }
}
