package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.PersistenceDomain;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.testing.LinuxCalls;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedImageTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    @TempDir Path directory;

    private final List<NativeFile> files = new ArrayList<>();

    @AfterEach
    void closeFiles() {
        files.forEach(NativeFile::close);
    }

    @Test
    void sharesLieOneBehindTheOther() throws IOException {
        NativeFile first = file("a", 16384);
        NativeFile second = file("b", 16384);

        try (MappedImage image =
                MappedImage.map(
                        List.of(new Share(first, 4096, 8192), new Share(second, 0, 16384)),
                        Access.SHARED)) {
            assertThat(image.segment().byteSize()).isEqualTo(24576);
            image.segment().set(LONG, 8192 - 4, -1);
            image.persistence().flush(8192 - 4, 8);
            image.persistence().fence();
        }

        assertThat(Files.readAllBytes(directory.resolve("a"))[12287]).isEqualTo((byte) -1);
        assertThat(Files.readAllBytes(directory.resolve("b"))[0]).isEqualTo((byte) -1);
    }

    @Test
    @LinuxCalls("nothing is moved past a mapping")
    void whatIsMovedPastTheMappingIsWhatTheMappingShows() throws IOException {
        List<Share> shares =
                List.of(
                        new Share(file("a", 16384), 4096, 8192),
                        new Share(file("b", 16384), 0, 16384));
        byte[] bytes = new byte[10_000];
        new Random(7).nextBytes(bytes);
        MemorySegment written = Arena.ofAuto().allocate(bytes.length);
        written.copyFrom(MemorySegment.ofArray(bytes));
        MemorySegment read = Arena.ofAuto().allocate(bytes.length);

        try (MappedImage image = MappedImage.map(shares, Access.SHARED)) {
            PoolMemory memory =
                    new PoolMemory("p", List.of(image), image.size(), image.persistence());
            memory.copyInOnce(3001, written, 0, bytes.length);
            assertThat(image.segment().asSlice(3001, bytes.length).mismatch(written)).isEqualTo(-1);
            memory.copyOutOnce(3001, read);
            assertThat(read.mismatch(written)).isEqualTo(-1);
            assertThat(Files.readAllBytes(directory.resolve("a")))
                    .as("before its share")
                    .startsWith(new byte[4096]);
            assertThat(Files.readAllBytes(directory.resolve("b")))
                    .as("where its share starts")
                    .startsWith(bytes[8192 - 3001], bytes[8192 - 3000]);

            assertThatThrownBy(() -> memory.copyInOnce(image.size() - 100, written, 0, 101))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.copyOutOnce(image.size() - 100, read))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    /** Its descriptor may be another file's by then. */
    @Test
    @LinuxCalls("nothing is moved past a mapping")
    void nothingIsMovedPastAMappingThatIsClosed() throws IOException {
        MemorySegment bytes = Arena.ofAuto().allocate(4096).fill((byte) 5);
        MappedImage image =
                MappedImage.map(List.of(new Share(file("a", 8192), 0, 8192)), Access.SHARED);
        PoolMemory memory = new PoolMemory("p", List.of(image), 8192, image.persistence());
        image.close();
        assertThatThrownBy(() -> memory.copyOutOnce(0, bytes))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> memory.copyInOnce(0, bytes, 0, 4096))
                .isInstanceOf(IllegalStateException.class);
        assertThat(Files.readAllBytes(directory.resolve("a"))).containsOnly(0);
    }

    @Test
    void ofAPrivateMappingNothingIsMovedPastIt() throws IOException {
        Share share = new Share(file("a", 8192), 0, 8192);
        MemorySegment bytes = Arena.ofAuto().allocate(4096).fill((byte) 5);
        try (MappedImage image = MappedImage.map(List.of(share), Access.PRIVATE)) {
            PoolMemory memory = new PoolMemory("p", List.of(image), 8192, image.persistence());
            memory.copyInOnce(0, bytes, 0, 4096);
            MemorySegment read = Arena.ofAuto().allocate(4096);
            memory.copyOutOnce(0, read);
            assertThat(read.mismatch(bytes)).isEqualTo(-1);
        }
        assertThat(Files.readAllBytes(directory.resolve("a"))).containsOnly(0);
    }

    @Test
    @LinuxCalls("nothing is moved past a mapping")
    void aFileThatWasCutOffIsNeitherReadNorMadeLongerPastTheMapping() throws IOException {
        NativeFile file = file("a", 8192);
        MemorySegment bytes = Arena.ofAuto().allocate(4096);
        try (MappedImage image =
                MappedImage.map(List.of(new Share(file, 0, 8192)), Access.SHARED)) {
            PoolMemory memory = new PoolMemory("p", List.of(image), 8192, image.persistence());
            file.truncate(4096);
            assertThatThrownBy(() -> memory.copyOutOnce(4096, bytes))
                    .hasMessageContaining("was cut off while the pool was open");
            assertThatThrownBy(() -> memory.copyInOnce(4096, bytes, 0, 4096))
                    .hasMessageContaining("was cut off while the pool was open");
            assertThat(file.size()).isEqualTo(4096);
        }
    }

    @Test
    void partsAboveTwoGibibytesAreOneRangeAlignedForLargePages() throws IOException {
        long threeGib = 3L << 30;
        NativeFile first = file("a", threeGib);
        NativeFile second = file("b", threeGib);

        try (MappedImage image =
                MappedImage.map(
                        List.of(new Share(first, 0, threeGib), new Share(second, 0, threeGib)),
                        Access.SHARED)) {
            MemorySegment segment = image.segment();
            assertThat(segment.address() % (1L << 30)).isZero();
            segment.set(LONG, threeGib - 4, 0x1122334455667788L);
            segment.set(LONG, 2 * threeGib - 8, 42);
            image.persistence().flush(threeGib - 4, threeGib + 4);
            image.persistence().fence();
            assertThat(segment.get(LONG, threeGib - 4)).isEqualTo(0x1122334455667788L);
        }
        try (RandomAccessFile raw = new RandomAccessFile(directory.resolve("b").toFile(), "r")) {
            raw.seek(threeGib - 8);
            assertThat(raw.readByte()).isEqualTo((byte) 42);
        }
    }

    @Test
    void privateStoresNeverReachTheFile() throws IOException {
        NativeFile file = file("a", 8192);

        try (MappedImage image =
                MappedImage.map(List.of(new Share(file, 0, 8192)), Access.PRIVATE)) {
            image.segment().fill((byte) 9);
            image.persistence().flush(0, 8192);
            image.persistence().fence();
        }

        assertThat(Files.readAllBytes(directory.resolve("a"))).containsOnly(0);
    }

    @Test
    void accessOutsideOrAfterCloseThrows() throws IOException {
        MappedImage image =
                MappedImage.map(List.of(new Share(file("a", 8192), 0, 8192)), Access.SHARED);
        List<Persistence> all =
                List.of(
                        image.persistence(),
                        new PageSyncing(image),
                        new CacheLineFlushing(image),
                        new StoreFencing(image));

        for (Persistence persistence : all) {
            assertThatThrownBy(() -> persistence.flush(8185, 8))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> persistence.flush(-8, 8))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> persistence.flush(0, Long.MAX_VALUE))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        image.close();
        image.close();

        assertThatThrownBy(() -> image.segment().get(LONG, 0))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> new CacheLineFlushing(image).flush(0, 8))
                .isInstanceOf(IllegalStateException.class);
        PageSyncing pages = new PageSyncing(image);
        pages.flush(0, 8);
        assertThatThrownBy(pages::fence).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void afterAFailedFenceNoFenceSucceeds() throws IOException {
        try (MappedImage image =
                MappedImage.map(List.of(new Share(file("a", 8192), 0, 8192)), Access.SHARED)) {
            PageSyncing persistence = new PageSyncing(image);
            assertThat(SystemCalls.current().unmap(image.address(), 4096)).isZero();
            persistence.flush(0, 8);
            assertThatThrownBy(persistence::fence)
                    .hasMessageContaining("msync of image bytes 0 to 4096 of")
                    .hasMessageContaining("Cannot allocate memory");

            persistence.flush(4096, 8);
            assertThatThrownBy(persistence::fence).hasMessageContaining("0 to 4096");
        }
    }

    @Test
    void cacheLinesAreWrittenBackByLibpmem() throws IOException {
        if (System.getenv("CI") != null) {
            assertThat(LibPmem.isInstalled()).as("CI must have libpmem").isTrue();
        }
        Assumptions.assumeTrue(LibPmem.isInstalled(), "libpmem is not installed");
        try (MappedImage image =
                MappedImage.map(List.of(new Share(file("a", 8192), 0, 8192)), Access.SHARED)) {
            CacheLineFlushing persistence = new CacheLineFlushing(image);
            image.segment().set(LONG, 100, 7);
            persistence.flush(100, 8);
            persistence.flush(0, 8192);
            persistence.flush(8192, 0);
            persistence.fence();
        }
    }

    @Test
    void longRangesGoPastTheCaches() throws IOException {
        Assumptions.assumeTrue(LibPmem.isInstalled(), "libpmem is not installed");
        byte[] content = new byte[100_000];
        new Random(1).nextBytes(content);
        try (Arena arena = Arena.ofConfined();
                MappedImage image =
                        MappedImage.map(
                                List.of(new Share(file("a", 131072), 0, 131072)), Access.SHARED)) {
            CacheLineFlushing persistence = new CacheLineFlushing(image);
            MemorySegment source = arena.allocate(content.length);
            MemorySegment.copy(content, 0, source, ValueLayout.JAVA_BYTE, 0, content.length);
            assertThat(persistence.copyIn(4097, source, 3, 99_990)).isTrue();
            persistence.fence();

            byte[] copied = image.segment().asSlice(4096, 99_992).toArray(ValueLayout.JAVA_BYTE);
            byte[] expected = new byte[99_992];
            System.arraycopy(content, 3, expected, 1, 99_990);
            assertThat(copied).isEqualTo(expected);
            assertThatThrownBy(() -> persistence.copyIn(131072 - 99_989, source, 0, 99_990))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> persistence.copyIn(0, source, 11, 99_990))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(persistence.copyIn(0, MemorySegment.ofArray(content), 0, 8)).isFalse();
        }
    }

    @Test
    void pageCacheFilesAreReportedAsSuch() throws IOException {
        Assumptions.assumeTrue(
                System.getenv("PMEM_IS_PMEM_FORCE") == null, "the environment says otherwise");
        try (MappedImage image =
                MappedImage.map(List.of(new Share(file("a", 4096), 0, 4096)), Access.SHARED)) {
            assertThat(image.domain()).isEqualTo(PersistenceDomain.PAGE_CACHE);
            assertThat(image.fencesBySystemCall()).isTrue();
        }
    }

    @Test
    void aRefusedMappingLeavesNothingMapped() throws IOException {
        NativeFile good = file("a", 4096);
        NativeFile closed = file("b", 4096);
        closed.close();
        long before = mappings();

        assertThatThrownBy(
                        () ->
                                MappedImage.map(
                                        List.of(
                                                new Share(good, 0, 4096),
                                                new Share(closed, 0, 4096)),
                                        Access.SHARED))
                .hasMessageContaining("cannot map 4096 bytes of " + directory.resolve("b"));

        assertThat(mappings()).isEqualTo(before);
    }

    private long mappings() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(directory.toString())).count();
        }
    }

    private NativeFile file(String name, long size) throws IOException {
        Path path = directory.resolve(name);
        try (RandomAccessFile raw = new RandomAccessFile(path.toFile(), "rw")) {
            raw.setLength(size);
        }
        NativeFile file = NativeFile.open(path);
        files.add(file);
        return file;
    }
}
