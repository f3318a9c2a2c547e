package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.farheap.FarheapException;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongBinaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fences of several threads on one medium, which may fail as far as a kernel's msync tells. */
class PageSyncingTest {
    private static final long PAGE = 4096;
    private static final int PAGES = 256;
    private static final int EIO = 5;

    @TempDir private Path directory;

    private NativeFile file;
    private MappedImage image;

    /** What msync was asked for, as the number of the first page. */
    private final ConcurrentLinkedQueue<Long> synced = new ConcurrentLinkedQueue<>();

    /** The first msync tells that it has begun, and waits. */
    private final CountDownLatch begun = new CountDownLatch(1);

    private final CountDownLatch goesOn = new CountDownLatch(1);

    private record Fencing(Thread thread, CompletableFuture<Void> end) {
        /** Until it can't go on without others. */
        void awaitWaiting() {
            await().until(() -> thread.getState() == Thread.State.WAITING);
        }
    }

    @BeforeEach
    void map() {
        file = NativeFile.create(directory.resolve("image"));
        file.allocate(PAGES * PAGE);
        image = MappedImage.map(List.of(new Share(file, 0, PAGES * PAGE)), Access.SHARED);
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

    private static Fencing start(PageSyncing pages, long page) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        persist(pages, page * PAGE);
                                        end.complete(null);
                                    } catch (Throwable e) {
                                        end.completeExceptionally(e);
                                    }
                                });
        return new Fencing(thread, end);
    }

    /** The first msync waits; the {@code failing}-th, from 1, fails. */
    private PageSyncing waitingFirst(int failing) {
        AtomicInteger calls = new AtomicInteger();
        return new PageSyncing(
                image,
                (address, length) -> {
                    int call = calls.incrementAndGet();
                    synced.add((address - image.address()) / PAGE);
                    if (call == 1) {
                        begun.countDown();
                        awaitQuietly(goesOn);
                    }
                    return call == failing ? -EIO : 0;
                });
    }

    /** One sync, three that come meanwhile. */
    private List<Fencing> oneAndThree(PageSyncing pages) {
        List<Fencing> fences = new ArrayList<>(List.of(start(pages, 9)));
        awaitQuietly(begun);
        for (long page : new long[] {3, 1, 2}) {
            fences.add(start(pages, page));
        }
        fences.stream().skip(1).forEach(Fencing::awaitWaiting);
        assertThat(fences).noneMatch(fence -> fence.end().isDone());
        return fences;
    }

    @Test
    void oneTripToTheMediumServesAllThatWait() {
        List<Fencing> fences = oneAndThree(waitingFirst(0));

        goesOn.countDown();

        fences.forEach(fence -> fence.end().join());
        assertThat(synced).containsExactly(9L, 1L);
    }

    /** What is stored while a sync is under way may have missed it, though it is the same page. */
    @Test
    void aSyncThatBeganBeforeAFenceDoesNotCount() {
        PageSyncing pages = waitingFirst(0);
        Fencing first = start(pages, 9);
        awaitQuietly(begun);
        Fencing second = start(pages, 9);
        second.awaitWaiting();
        assertThat(second.end()).isNotDone();

        goesOn.countDown();

        first.end().join();
        second.end().join();
        assertThat(synced).containsExactly(9L, 9L);
    }

    @Test
    void aFailureIsToldToAllOfItsGenerationAndStaysTold() {
        PageSyncing pages = waitingFirst(2);
        List<Fencing> fences = oneAndThree(pages);

        goesOn.countDown();

        await().until(() -> fences.get(0).end().isDone());
        fences.stream()
                .skip(1)
                .forEach(
                        fence ->
                                assertThatThrownBy(() -> fence.end().join())
                                        .rootCause()
                                        .isInstanceOf(FarheapException.class)
                                        .hasMessageContaining("Input/output error"));
        assertThatThrownBy(() -> persist(pages, 0)).hasMessageContaining("Input/output error");
        assertThat(synced).as("nobody asks again").containsExactly(9L, 1L);
    }

    /** The kernel tells one of them, who may be the one before. */
    @Test
    void whoWaitsForASyncThatFailsIsToldToo() {
        PageSyncing pages = waitingFirst(1);
        List<Fencing> fences = oneAndThree(pages);

        goesOn.countDown();

        fences.forEach(
                fence ->
                        assertThatThrownBy(() -> fence.end().join())
                                .hasMessageContaining("Input/output error"));
        assertThat(synced).containsExactly(9L);
    }

    @Test
    void whateverIsThrownWhileSyncingLetsNobodyWaitForEver() {
        PageSyncing pages =
                new PageSyncing(
                        image,
                        (address, length) -> {
                            begun.countDown();
                            awaitQuietly(goesOn);
                            throw new StackOverflowError();
                        });
        List<Fencing> fences = oneAndThree(pages);

        goesOn.countDown();

        fences.forEach(
                fence ->
                        assertThatThrownBy(() -> fence.end().join())
                                .rootCause()
                                .isInstanceOf(StackOverflowError.class));
    }

    @Test
    void anInterruptedThreadWaitsAllTheSameAndStaysInterrupted() {
        PageSyncing pages = waitingFirst(0);
        Fencing first = start(pages, 9);
        awaitQuietly(begun);
        Fencing second = start(pages, 1);
        second.awaitWaiting();
        AtomicInteger interrupts = new AtomicInteger();
        CompletableFuture<Void> seen =
                second.end().thenRun(() -> interrupts.set(second.thread().isInterrupted() ? 1 : 0));

        second.thread().interrupt();
        second.awaitWaiting();
        goesOn.countDown();

        first.end().join();
        seen.join();
        assertThat(interrupts).hasValue(1);
        assertThat(synced).containsExactly(9L, 1L);
    }

    /** What EINTR says is that nothing was done. */
    @Test
    void aSyncThatASignalInterruptedIsMadeAgain() {
        AtomicInteger calls = new AtomicInteger();
        PageSyncing pages =
                new PageSyncing(
                        image, (address, length) -> calls.getAndIncrement() < 3 ? -LibC.EINTR : 0);

        persist(pages, 0);

        assertThat(calls).hasValue(4);
    }

    /** Each thread counts in its own word; what its fence has returned for, the medium has. */
    @Test
    void afterEachFenceTheMediumHasWhatItsThreadStored() {
        MemorySegment medium = MemorySegment.ofArray(new long[(int) (PAGES * PAGE / Long.BYTES)]);
        PageSyncing pages = new PageSyncing(image, copyTo(medium));
        List<CompletableFuture<Void>> threads =
                IntStream.range(0, 16)
                        .mapToObj(
                                thread ->
                                        CompletableFuture.runAsync(
                                                () -> count(pages, medium, thread * 5L * PAGE),
                                                task -> Thread.ofPlatform().start(task)))
                        .toList();

        threads.forEach(CompletableFuture::join);
    }

    private void count(PageSyncing pages, MemorySegment medium, long offset) {
        for (long value = 1; value <= 2000; value++) {
            image.segment().set(ValueLayout.JAVA_LONG, offset, value);
            persist(pages, offset);
            assertThat(medium.get(ValueLayout.JAVA_LONG, offset)).isEqualTo(value);
        }
    }

    private LongBinaryOperator copyTo(MemorySegment medium) {
        AtomicInteger beside = new AtomicInteger();
        return (address, length) -> {
            assertThat(beside.incrementAndGet()).as("syncs at a time").isEqualTo(1);
            long offset = address - image.address();
            MemorySegment.copy(image.segment(), offset, medium, offset, length);
            Thread.yield();
            beside.decrementAndGet();
            return 0;
        };
    }

    /**
     * The kernel takes for clean what it failed to write: who opens the file next must write it.
     */
    @Test
    void whatMayNotHaveReachedTheMediumIsWrittenByTheNextSync() throws IOException {
        Path disk = Files.createTempDirectory(Path.of("").toAbsolutePath(), "disk");
        try {
            assumeThat(Files.getFileStore(disk).type()).isNotEqualTo("tmpfs");
            try (NativeFile other = NativeFile.create(disk.resolve("image"))) {
                other.allocate(PAGES * PAGE);
                List<Share> all = List.of(new Share(other, 0, PAGES * PAGE));
                try (MappedImage mapped = MappedImage.map(all, Access.SHARED)) {
                    mapped.segment().fill((byte) 1);
                    mapped.syncPages();
                    assertThat(dirtyKilobytes(mapped)).as("after a sync").isZero();

                    PageSyncing failing = new PageSyncing(mapped, (address, length) -> -EIO);
                    assertThatThrownBy(() -> persist(failing, 0))
                            .isInstanceOf(FarheapException.class);

                    assertThat(dirtyKilobytes(mapped)).isEqualTo(PAGES * PAGE / 1024);
                    assertThat(mapped.segment().get(ValueLayout.JAVA_BYTE, PAGE))
                            .isEqualTo((byte) 1);
                }
            }
        } finally {
            Files.deleteIfExists(disk.resolve("image"));
            Files.delete(disk);
        }
    }

    /** As the kernel counts them for this mapping. */
    private static long dirtyKilobytes(MappedImage mapped) throws IOException {
        String start = Long.toHexString(mapped.address());
        return Files.readAllLines(Path.of("/proc/self/smaps")).stream()
                .dropWhile(line -> !line.startsWith(start + "-"))
                .filter(line -> line.startsWith("Private_Dirty:"))
                .findFirst()
                .map(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .orElseThrow();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
