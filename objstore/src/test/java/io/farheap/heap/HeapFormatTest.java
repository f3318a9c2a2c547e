package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import io.farheap.testing.GoldenVectors;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapFormatTest {
    private static final long HEAP = 3_153_920;

    @Test
    void aNewHeapIsThatOfTheCLibraryByteForByte(@TempDir Path directory) throws IOException {
        MemorySegment golden =
                MemorySegment.ofArray(
                        Files.readAllBytes(GoldenVectors.unpack("empty", directory).pool()));
        CrashSimulation machine = new CrashSimulation(golden.byteSize());
        HeapFormat.format(machine.memory(), HEAP, golden.byteSize() - HEAP);
        MemorySegment image = machine.crash(Loss.ALL, new Random(1)).memory().image();
        assertThat(image.asSlice(HEAP).mismatch(golden.asSlice(HEAP))).isEqualTo(-1);
        assertThat(machine.fences()).isEqualTo(1);
    }

    @Test
    void whatLayThereBeforeIsNoZone() {
        CrashSimulation machine = new CrashSimulation(8 << 20);
        machine.memory().image().fill((byte) 0xFF);
        HeapFormat.format(machine.memory(), HEAP, (8 << 20) - HEAP);
        CrashSimulation restarted = machine.crash(Loss.ALL, new Random(1));
        WalkResult walk = WalkResult.of(restarted.memory().image(), HEAP, (8 << 20) - HEAP);
        assertThat(walk.inconsistencies()).isEmpty();
        assertThat(walk.zones())
                .singleElement()
                .returns(false, HeapWalk.Zone::initialised)
                .returns(17, HeapWalk.Zone::possibleChunks);
    }

    @Test
    void aHeapNeedsRoomForAChunk() {
        CrashSimulation machine = new CrashSimulation(1 << 20);
        assertThatThrownBy(
                        () ->
                                HeapFormat.format(
                                        machine.memory(), 4096, HeapFormat.minimumSize() - 1))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("at least 787456 bytes");
        assertThatThrownBy(() -> HeapFormat.format(machine.memory(), 4096, 1 << 20))
                .isInstanceOf(FarheapException.class);
        HeapFormat.format(machine.memory(), 4096, HeapFormat.minimumSize());
    }
}
