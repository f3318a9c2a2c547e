package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the kernel says of a file's place, by a kernel that says what it is told to. */
@Timeout(60)
class FileExtentTest {
    private static final int LAST = 1;
    private static final int NOT_YET_CHOSEN = 0x6;
    private static final int UNWRITTEN = 0x800;

    private record Told(long offset, long place, long length, int flags) {}

    private final List<Told> kernel = new ArrayList<>();
    private int calls;

    /** As fiemap does it: those that end behind the start, as many as there is room for. */
    private void fill(MemorySegment map) {
        calls++;
        long start = map.get(ValueLayout.JAVA_LONG, 0);
        int room = map.get(ValueLayout.JAVA_INT, 24);
        assertThat(map.byteSize()).isGreaterThanOrEqualTo(32 + room * 56L);
        assertThat(start + map.get(ValueLayout.JAVA_LONG, 8)).isPositive();
        int count = 0;
        for (Told one : kernel) {
            if (one.offset() + one.length() > start && count < room) {
                MemorySegment at = map.asSlice(32 + 56L * count++, 56);
                at.set(ValueLayout.JAVA_LONG, 0, one.offset());
                at.set(ValueLayout.JAVA_LONG, 8, one.place());
                at.set(ValueLayout.JAVA_LONG, 16, one.length());
                at.set(ValueLayout.JAVA_INT, 40, one.flags());
            }
        }
        map.set(ValueLayout.JAVA_INT, 20, count);
    }

    @Test
    void whatHasNoPlaceYetIsLeftOut() {
        kernel.add(new Told(0, 1 << 20, 4096, 0));
        kernel.add(new Told(4096, 0, 4096, NOT_YET_CHOSEN));
        kernel.add(new Told(1 << 16, 1 << 21, 8192, UNWRITTEN | LAST));
        assertThat(FileExtent.all(this::fill))
                .containsExactly(
                        new FileExtent(0, 1 << 20, 4096), new FileExtent(1 << 16, 1 << 21, 8192));
        assertThat(calls).isOne();
    }

    @Test
    void bytesOfAPlaceThatIsNotToldAreNotLeftOut() {
        int compressed = 0x8;
        kernel.add(new Told(0, 1 << 20, 4096, 0));
        kernel.add(new Told(4096, 1 << 21, 4096, compressed | LAST));
        assertThatThrownBy(() -> FileExtent.all(this::fill))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("no place for the bytes from offset 4096 on");
    }

    @Test
    void aFileOfManyPiecesIsAskedForInTurns() {
        List<FileExtent> all = new ArrayList<>();
        for (int i = 0; i < 700; i++) {
            kernel.add(new Told(i * 8192L, 1 << 30 | i * 4096L, 4096, i == 699 ? LAST : 0));
            all.add(new FileExtent(i * 8192L, 1 << 30 | i * 4096L, 4096));
        }
        assertThat(FileExtent.all(this::fill)).isEqualTo(all);
        assertThat(calls).isEqualTo(3);
    }

    @Test
    void aFileWithoutBytesAndAKernelThatForgetsTheLastEnd() {
        assertThat(FileExtent.all(this::fill)).isEmpty();
        kernel.add(new Told(0, 4096, 4096, 0));
        assertThat(FileExtent.all(this::fill)).containsExactly(new FileExtent(0, 4096, 4096));
        kernel.set(0, new Told(0, 4096, 0, 0));
        assertThat(FileExtent.all(map -> map.set(ValueLayout.JAVA_INT, 20, 1))).hasSize(1);
    }

    /** Where this file system tells; what it does not tell is a sentence. */
    @Test
    void thisMachinesKernelSaysWhereAFileIs() throws Exception {
        // not where temporary files are, which may be in memory
        Path path = Files.createTempFile(Path.of("target"), "extents", null);
        Files.write(path, new byte[1 << 20]);
        try (NativeFile file = NativeFile.open(path)) {
            file.sync();
            List<FileExtent> extents;
            try {
                extents = file.extents();
            } catch (FarheapException e) {
                assertThat(e)
                        .hasMessageContaining("cannot find out where the blocks are of " + path);
                Assumptions.abort("this file system does not tell: " + e.getMessage());
                return;
            }
            assertThat(extents.stream().mapToLong(FileExtent::length).sum()).isEqualTo(1 << 20);
            assertThat(extents).allMatch(each -> each.place() % 4096 == 0);
        } finally {
            Files.delete(path);
        }
    }

    @Test
    void aDirectoryWithoutAnAnswerIsRefused() {
        assertThatThrownBy(
                        () -> {
                            try (NativeFile proc =
                                    NativeFile.openReadOnly(Path.of("/proc/self/maps"))) {
                                List<FileExtent> unused = proc.extents();
                            }
                        })
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("cannot find out where the blocks are of /proc/self/maps");
    }
}
