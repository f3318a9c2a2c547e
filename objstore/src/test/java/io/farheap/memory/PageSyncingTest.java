package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.FarheapException;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A medium that fails, as far as a kernel's msync tells of it. */
class PageSyncingTest {
    private static final long PAGE = 4096;
    private static final int EIO = 5;

    @TempDir private Path directory;

    private NativeFile file;
    private MappedImage image;

    @BeforeEach
    void map() {
        file = NativeFile.create(directory.resolve("image"));
        file.allocate(16 * PAGE);
        image = MappedImage.map(List.of(new Share(file, 0, 16 * PAGE)), Access.SHARED);
    }

    @AfterEach
    void close() {
        image.close();
        file.close();
    }

    private static void persist(PageSyncing pages, long offset) {
        pages.flush(offset, 8);
        pages.fence();
    }

    private static CompletableFuture<Void> later(PageSyncing pages, long offset) {
        return CompletableFuture.runAsync(
                () -> persist(pages, offset), task -> Thread.ofPlatform().start(task));
    }

    /** The kernel had an error for this thread's page, and told the one beside it. */
    @Test
    void aFenceWaitsForTheWordOfThoseBesideIt() {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch returns = new CountDownLatch(1);
        PageSyncing pages =
                new PageSyncing(
                        image,
                        (address, length) -> {
                            if (address == image.address()) {
                                return 0;
                            }
                            told.countDown();
                            awaitQuietly(returns);
                            return -EIO;
                        });
        CompletableFuture<Void> beside = later(pages, 8 * PAGE);
        awaitQuietly(told);

        CompletableFuture<Void> own = later(pages, 0);

        await().during(Duration.ofMillis(100)).until(() -> !own.isDone());
        returns.countDown();
        assertThatThrownBy(own::join).rootCause().isInstanceOf(FarheapException.class);
        assertThatThrownBy(beside::join).hasMessageContaining("Input/output error");
        assertThatThrownBy(() -> persist(pages, 0)).hasMessageContaining("Input/output error");
    }

    @Test
    void fencesDoNotWaitForEachOthersMedium() {
        CountDownLatch both = new CountDownLatch(2);
        PageSyncing pages =
                new PageSyncing(
                        image,
                        (address, length) -> {
                            both.countDown();
                            awaitQuietly(both);
                            return 0;
                        });
        CompletableFuture<Void> one = later(pages, 0);
        CompletableFuture<Void> other = later(pages, PAGE);

        await().until(() -> one.isDone() && other.isDone());
        assertThat(one).isCompleted();
        assertThat(other).isCompleted();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
