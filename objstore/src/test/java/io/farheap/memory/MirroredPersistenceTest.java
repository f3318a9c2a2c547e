package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MirroredPersistenceTest {
    private static final long SIZE = 1 << 20;

    @TempDir Path directory;

    private final List<NativeFile> files = new ArrayList<>();
    private final List<MappedImage> images = new ArrayList<>();
    private PoolMemory memory;

    @BeforeEach
    void mapThree() {
        for (int i = 0; i < 3; i++) {
            NativeFile file = NativeFile.create(directory.resolve("image" + i));
            files.add(file);
            file.allocate(SIZE);
            images.add(MappedImage.map(List.of(new Share(file, 0, SIZE)), Access.SHARED));
        }
        Persistence persistence =
                new MirroredPersistence(images.get(0), images.subList(1, 3), SIZE);
        memory = new PoolMemory(images.get(0).segment(), persistence);
    }

    @AfterEach
    void close() {
        images.forEach(MappedImage::close);
        files.forEach(NativeFile::close);
    }

    @Test
    void whatIsFlushedIsCopiedAndWhatIsNotStays() {
        memory.fill(0, SIZE, (byte) 1);

        memory.persist(10_000, 100_000);

        for (MappedImage copy : images.subList(1, 3)) {
            PoolMemory image = new PoolMemory(copy.segment(), copy.persistence());
            assertThat(image.getByte(9_999)).isZero();
            assertThat(image.getByte(10_000)).isEqualTo((byte) 1);
            assertThat(image.getByte(109_999)).isEqualTo((byte) 1);
            assertThat(image.getByte(110_000)).isZero();
        }
    }

    @Test
    void oneFlushAndOneFenceAreCountedWhateverTheNumberOfCopies() {
        memory.persist(0, 100_000);

        assertThat(memory.flushCount()).isEqualTo(1);
        assertThat(memory.fenceCount()).isEqualTo(1);
    }

    @Test
    void threadsThatFlushTheSameRangeLeaveTheSameWordsEverywhere() throws InterruptedException {
        int rounds = 2_000;
        AtomicInteger arrived = new AtomicInteger();
        AtomicLong differing = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            long word = 4088L - 8 * t;
            threads.add(Thread.ofPlatform().start(() -> race(rounds, word, arrived, differing)));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(differing).as("rounds that left a copy behind").hasValue(0);
    }

    /** Stores, flushes, waits for the other thread, and compares what both left behind. */
    private void race(int rounds, long word, AtomicInteger arrived, AtomicLong differing) {
        for (int round = 1; round <= rounds; round++) {
            memory.putLong(word, round);
            memory.flush(0, 4096);
            awaitBoth(arrived, 4 * round - 2);
            for (MappedImage image : images) {
                if (new PoolMemory(image.segment(), image.persistence()).getLong(word) != round) {
                    differing.incrementAndGet();
                }
            }
            awaitBoth(arrived, 4 * round);
        }
    }

    private static void awaitBoth(AtomicInteger arrived, int target) {
        arrived.incrementAndGet();
        while (arrived.get() < target) {
            Thread.onSpinWait();
            Thread.yield();
        }
    }
}
