package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.AllocationClassDescriptor.HeaderType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AllocationClassesTest {
    private static final AllocationClasses CLASSES = AllocationClasses.DEFAULT;

    /** The table of libpmemobj 1.12: id, unit, chunks, units, bitmap words, first unit at. */
    private static final long[][] RUN_CLASSES = {
        {1, 128, 1, 2045, 32, 320},
        {2, 192, 1, 1364, 22, 192},
        {3, 320, 1, 818, 13, 128},
        {4, 448, 1, 584, 10, 128},
        {5, 704, 1, 372, 6, 64},
        {6, 832, 1, 315, 5, 64},
        {7, 1088, 1, 240, 4, 64},
        {8, 1216, 1, 215, 4, 64},
        {9, 1472, 2, 356, 6, 64},
        {10, 1728, 2, 303, 5, 64},
        {11, 1856, 2, 282, 5, 64},
        {12, 1984, 2, 264, 5, 64},
        {13, 2368, 2, 221, 4, 64},
        {14, 3776, 3, 208, 4, 64},
        {15, 4480, 4, 234, 4, 64},
        {16, 5376, 4, 195, 4, 64},
        {17, 5504, 5, 238, 4, 64},
        {18, 6208, 5, 211, 4, 64},
        {19, 6720, 5, 195, 4, 64},
        {20, 7488, 6, 210, 4, 64},
        {21, 7744, 6, 203, 4, 64},
        {22, 9216, 7, 199, 4, 64},
        {23, 9664, 8, 217, 4, 64},
        {24, 10176, 8, 206, 4, 64},
        {25, 11072, 9, 213, 4, 64},
        {26, 12032, 9, 196, 4, 64},
        {27, 11968, 10, 219, 4, 64},
        {28, 12480, 10, 210, 4, 64},
        {29, 14272, 11, 202, 4, 64},
        {30, 16704, 13, 204, 4, 64},
        {31, 17472, 14, 210, 4, 64},
        {32, 23040, 16, 182, 3, 64},
        {33, 24384, 16, 172, 3, 64},
        {34, 26048, 16, 161, 3, 64},
        {35, 27776, 16, 151, 3, 64},
        {36, 29120, 16, 144, 3, 64},
        {37, 31296, 16, 134, 3, 64},
        {38, 39936, 16, 105, 2, 64},
        {39, 46592, 16, 90, 2, 64},
        {40, 51776, 16, 81, 2, 64},
        {41, 54464, 16, 77, 2, 64},
        {42, 66560, 16, 63, 1, 64},
        {43, 80640, 16, 52, 1, 64},
        {44, 107520, 16, 39, 1, 64},
        {45, 113344, 16, 37, 1, 64},
        {46, 135296, 16, 31, 1, 64},
        {47, 149760, 16, 28, 1, 64},
        {48, 167744, 16, 25, 1, 64},
        {49, 209664, 16, 20, 1, 64},
        {50, 220736, 16, 19, 1, 64},
        {51, 246720, 16, 17, 1, 64},
        {52, 262080, 16, 16, 1, 64},
        {53, 349440, 16, 12, 1, 64},
    };

    /** CRC-32 of what libpmemobj 1.12.1 gave for all sizes that are multiples of 16. */
    private static final long USABLE_SIZES_OF_THE_C_LIBRARY = 0x8e00d428L;

    @Test
    void theClassesAreTheFiftyFourOfLibpmemobj() {
        assertThat(CLASSES.find(54)).isNull();
        assertThat(CLASSES.find(0)).isEqualTo(AllocationClass.HUGE);
        for (long[] row : RUN_CLASSES) {
            AllocationClass c = CLASSES.find((int) row[0]);
            assertThat(c)
                    .isEqualTo(
                            new AllocationClass(
                                    (int) row[0],
                                    row[1],
                                    0,
                                    HeaderType.COMPACT,
                                    (int) row[2],
                                    (int) row[3]));
        }
    }

    @Test
    void theirRunsAreDividedAsInLibpmemobj() {
        for (long[] row : RUN_CLASSES) {
            RunGeometry run = RunGeometry.ofNew(0, (int) row[2], AllocationClass.RUN_FLAGS, row[1]);
            assertThat(run.words).as("words of class %d", row[0]).isEqualTo((int) row[4]);
            assertThat(run.dataOffset).as("data of class %d", row[0]).isEqualTo(row[5]);
        }
    }

    @Test
    void everySizeUpToTheHugeLimitIsServedAsTheCLibraryDoes() {
        ByteBuffer usable = ByteBuffer.allocate(4 * 163_840).order(ByteOrder.LITTLE_ENDIAN);
        for (int size = 16; size <= 2_621_440; size += 16) {
            usable.putInt((int) usableSize(size));
        }
        CRC32 crc = new CRC32();
        crc.update(usable.flip());
        assertThat(crc.getValue()).isEqualTo(USABLE_SIZES_OF_THE_C_LIBRARY);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 112",
        "112, 112",
        "113, 176",
        "192, 240",
        "240, 240",
        "241, 304",
        "320, 368",
        "432, 432",
        "512, 560",
        "1008, 1008",
        "1009, 1072",
        "2048, 2096",
        "4096, 4144",
        "8192, 8496",
        "32752, 33008",
        "65536, 66544",
        "131072, 133616",
        "262127, 262128",
        "262128, 262128",
        "262129, 266224",
        "393216, 399344",
        "524272, 524272",
        "1500000, 1572848",
        "2621424, 2621424",
        "2621440, 2883568",
        "3000000, 3145712"
    })
    void aSizeGetsTheUsableSizeOfTheCLibrary(long size, long usable) {
        assertThat(usableSize(size)).isEqualTo(usable);
    }

    private static long usableSize(long size) {
        AllocationClass c = CLASSES.classFor(size);
        return c.unitsFor(size) * c.unit() - ObjectHeader.COMPACT_BYTES;
    }

    @Test
    void anObjectTakesAtMostEightUnits() {
        for (int size = 1; size < 2_621_440; size += 7) {
            AllocationClass c = CLASSES.classFor(size);
            assertThat(c.huge() || c.unitsFor(size) <= 8).as("size %d", size).isTrue();
        }
    }

    @Test
    void aRunIsOfTheClassThatWouldHaveMadeItAndOfNoOtherKind() {
        assertThat(matching(1088, 1, AllocationClass.RUN_FLAGS)).isSameAs(CLASSES.find(7));
        assertThat(matching(1088, 2, AllocationClass.RUN_FLAGS)).isNull();
        assertThat(matching(1088, 1, ChunkHeader.COMPACT_HEADER)).isNull();
        assertThat(matching(1024, 1, AllocationClass.RUN_FLAGS)).isNull();
    }

    private static AllocationClass matching(long unit, int chunks, int flags) {
        return CLASSES.matching(RunGeometry.ofNew(0, chunks, flags, unit));
    }
}
