package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.PoolOptions;
import io.farheap.objects.schema.Persistent;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much is kept for reads that began before a commit is the program's to say. */
class OldBytesTest {
    private static final int LARGE = 1 << 20;

    @TempDir Path directory;

    @Persistent
    interface Root {
        byte[] bytes();

        void bytes(byte[] value);
    }

    @Test
    void aReadWhoseOldBytesHaveNoRoomRunsAgain() {
        assertThat(runsOfARead(PoolOptions.defaults())).isEqualTo(1);
        assertThat(runsOfARead(PoolOptions.builder().oldBytes(2 * LARGE).build())).isEqualTo(1);
        assertThat(runsOfARead(PoolOptions.builder().oldBytes(LARGE / 2).build())).isEqualTo(2);
    }

    /** Of one that another thread's commit overtakes once. */
    private int runsOfARead(PoolOptions options) {
        Path file = directory.resolve("pool");
        PersistentHeap.openOrCreate(file, 32L << 20, Root.class).close();
        try (PersistentHeap<Root> heap = PersistentHeap.open(file, options, Root.class)) {
            heap.root().bytes(filled(1));
            AtomicInteger runs = new AtomicInteger();
            byte first =
                    heap.read(
                            root -> {
                                if (runs.incrementAndGet() == 1) {
                                    CompletableFuture.runAsync(() -> heap.root().bytes(filled(2)))
                                            .join();
                                }
                                return root.bytes()[0];
                            });
            assertThat(first).isEqualTo((byte) runs.get());
            return runs.get();
        }
    }

    private static byte[] filled(int value) {
        byte[] bytes = new byte[LARGE];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
