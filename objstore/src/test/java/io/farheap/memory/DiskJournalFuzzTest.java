package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Disk journals with any bytes in them: what is found is what was appended, up to some batch, or
 * one sentence; no entry reaches outside the image.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("enumerated")
class DiskJournalFuzzTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final int ROUNDS = Integer.getInteger("fuzz.rounds", 20_000);
    private static final int BATCHES = 5;
    private static final long IMAGE = 64 << 10;
    private static final JournalGeometry GEOMETRY = new JournalGeometry(8 * 4096, 4096, 512);

    private final long seed = Long.getLong("fuzz.seed", new Random().nextLong() >>> 16);
    private final Random random = new Random(seed);
    private final SimulatedDisk disk = new SimulatedDisk(GEOMETRY.fileBytes());
    private final MemorySegment cache = disk.cache();
    private final List<Long> ends = new ArrayList<>();
    private byte[] whole;

    /** Batch n stores n in n words. */
    @BeforeEach
    void aJournal() {
        System.out.println("disk journals: seed " + seed);
        DiskJournalFile made =
                DiskJournalFile.format("the journal", disk, GEOMETRY, new byte[32], 7, 1, IMAGE);
        made.restart(0, 2); // both superblocks
        MemorySegment image = Arena.ofAuto().allocate(IMAGE, 4096);
        ends.add(0L);
        for (long value = 1; value <= BATCHES; value++) {
            JournalBatch batch = new JournalBatch(GEOMETRY.batchBytes());
            for (long i = 0; i < value; i++) {
                image.set(LONG, place(value, i), value);
                assertThat(batch.append(image, place(value, i), Long.BYTES)).isPositive();
            }
            made.append(batch);
            ends.add(made.end());
        }
        whole = cache.toArray(ValueLayout.JAVA_BYTE);
    }

    private static long place(long value, long i) {
        return 8192 + value * 512 + i * Long.BYTES;
    }

    private interface Damage {
        void run();
    }

    private int refused(Damage damage, boolean honest) {
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            MemorySegment.copy(whole, 0, cache, ValueLayout.JAVA_BYTE, 0, whole.length);
            damage.run();
            refused += isRefused(round, honest) ? 1 : 0;
        }
        return refused;
    }

    /**
     * @param honest whether the checksums were left as they are: then nothing but a prefix counts
     */
    private boolean isRefused(int round, boolean honest) {
        MemorySegment image = MemorySegment.ofArray(new long[(int) IMAGE / Long.BYTES]);
        try {
            Optional<DiskJournalFile> found =
                    DiskJournalFile.open("the journal", disk, GEOMETRY.batchBytes());
            if (found.isEmpty()) {
                return true;
            }
            found.get().readThrough();
            JournalHole hole = found.get().holeBehind(found.get());
            if (hole != null && honest) {
                assertThat(hole.batches()).isBetween(1L, (long) BATCHES);
                assertThat(hole.bytes()).isLessThanOrEqualTo(ends.get(BATCHES));
            }
            found.get().replayTo(image);
            if (honest) {
                requirePrefix(round, found.get(), image);
            }
            return false;
        } catch (FarheapException told) {
            assertThat(told.category()).isEqualTo(Category.BAD_DATA);
            assertThat(told).hasMessageContaining("the journal");
            return true;
        } catch (RuntimeException | AssertionError wrong) {
            throw new AssertionError("seed " + seed + ", round " + round + ": " + wrong, wrong);
        }
    }

    private void requirePrefix(int round, DiskJournalFile found, MemorySegment image) {
        assertThat(ends).as("round %s", round).contains(found.end());
        int count = ends.indexOf(found.end());
        for (long value = 1; value <= BATCHES; value++) {
            for (long i = 0; i < value; i++) {
                long expected = value <= count ? value : 0;
                assertThat(image.get(LONG, place(value, i))).isEqualTo(expected);
            }
        }
    }

    private long anywhere() {
        long used = DiskJournalLayout.RING + ends.get(BATCHES);
        return random.nextLong(used - Long.BYTES);
    }

    @Test
    void ofDamagedBytesNothingComesThatWasNotAppended() {
        int refused =
                refused(
                        () -> {
                            for (int i = random.nextInt(4); i >= 0; i--) {
                                cache.set(LONG, anywhere(), random.nextLong());
                            }
                        },
                        true);
        assertThat(refused).as("seed %s", seed).isLessThan(ROUNDS);
    }

    /** A number at the borders of what is looked at. */
    private long number() {
        long[] borders = {0, 1, 8, 512, 4096, IMAGE, GEOMETRY.ringBytes(), Long.MAX_VALUE};
        long border = borders[random.nextInt(borders.length)] + random.nextInt(3) - 1;
        return random.nextInt(4) == 0 ? random.nextLong() : random.nextBoolean() ? border : -border;
    }

    @Test
    void superblocksWithARightChecksumOverAnythingLeadNowhere() {
        long[] fields = {8, 12, 16, 56, 64, 72, 80, 88};
        int refused =
                refused(
                        () -> {
                            for (long start = 0; start < 8192; start += 4096) {
                                long field = start + fields[random.nextInt(fields.length)];
                                cache.set(LONG, field, number());
                                cache.set(INT, start + 4092, sum(start, start + 4092));
                            }
                        },
                        false);
        assertThat(refused).as("seed %s", seed).isBetween(1, ROUNDS - 1);
    }

    @Test
    void batchesWithARightChecksumOverAnythingReachNothingOutsideTheImage() {
        int refused =
                refused(
                        () -> {
                            long position = ends.get(random.nextInt(BATCHES));
                            long start = DiskJournalLayout.RING + position;
                            long field = start + 8 + random.nextInt(12) * Long.BYTES;
                            cache.set(LONG, field, number());
                            int used = cache.get(INT, start + DiskJournalLayout.USED_AT);
                            long end = start + Math.clamp(used, 64, 4096);
                            cache.set(INT, start + 4, sum(start + 8, end));
                        },
                        false);
        assertThat(refused).as("seed %s", seed).isBetween(1, ROUNDS - 1);
    }

    private int sum(long from, long to) {
        CRC32C crc = new CRC32C();
        crc.update(cache.asSlice(from, to - from).toArray(ValueLayout.JAVA_BYTE));
        return (int) crc.getValue();
    }
}
