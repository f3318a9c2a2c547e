package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.testing.FailingCalls;
import io.farheap.testing.LinuxCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fences of several threads on one medium, which may fail as far as a kernel's msync tells. */
class PageSyncingTest {
    private static final long PAGE = 4096;
    private static final int PAGES = 256;
    private static final int EIO = 5;
    private static final int EMFILE = 24;
    private static final int OTHER_MAPPINGS = 7;
    private static final long SEED = 20261123;
    private static final int DISKS_THAT_FORGET = Boolean.getBoolean("test.deep") ? 30 : 7;

    private static final Set<Thread.State> ASLEEP =
            Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

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
            await().until(() -> ASLEEP.contains(thread.getState()));
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
        return start(pages, page, 1);
    }

    /** So many threads at a time that some wait for others. */
    private static void crowd(PageSyncing pages) {
        LongStream.range(0, 12)
                .mapToObj(page -> start(pages, page, 500))
                .toList()
                .forEach(fence -> fence.end().join());
    }

    /** Threads that are started one after another may be done before the next one comes. */
    private static void crowdUntil(PageSyncing pages, BooleanSupplier noticed) {
        for (int i = 0; i < 1000 && !noticed.getAsBoolean(); i++) {
            crowd(pages);
        }
    }

    private static Fencing start(PageSyncing pages, long page, int times) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread thread =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        for (int i = 0; i < times; i++) {
                                            persist(pages, page * PAGE);
                                        }
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
                1,
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
                        1,
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
                        image,
                        8,
                        (address, length) -> calls.getAndIncrement() < 3 ? -LibC.EINTR : 0);

        persist(pages, 0);

        assertThat(calls).hasValue(4);
    }

    /** Each thread counts in its own word; what its fence has returned for, the medium has. */
    @Test
    void afterEachFenceTheMediumHasWhatItsThreadStored() {
        MemorySegment medium = MemorySegment.ofArray(new long[(int) (PAGES * PAGE / Long.BYTES)]);
        PageSyncing pages = new PageSyncing(image, 1, copyTo(medium));
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

    /** Once threads have waited for each other, each goes to the medium by itself. */
    @Test
    @LinuxCalls("syncs go one after the other through one mapping")
    void severalSyncsAreUnderWayAtATime() {
        ConcurrentLinkedQueue<Long> under = new ConcurrentLinkedQueue<>();
        PageSyncing pages = crowded(3, under);
        List<Fencing> fences = new ArrayList<>();
        for (long page : new long[] {3, 1, 2}) { // two that come together are one generation
            fences.add(start(pages, page));
            await().until(() -> under.size() == fences.size());
        }
        assertThat(under).as("each through a mapping of its own").doesNotHaveDuplicates();
        Fencing beyond = start(pages, 5);
        beyond.awaitWaiting();
        goesOn.countDown();

        fences.forEach(fence -> fence.end().join());
        beyond.end().join();
    }

    /**
     * Two have waited for each other; each sync from now on waits, and tells through which mapping.
     */
    private PageSyncing crowded(int most, ConcurrentLinkedQueue<Long> under) {
        CountDownLatch waited = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        PageSyncing pages =
                new PageSyncing(
                        image,
                        most,
                        (address, length) -> {
                            int call = calls.incrementAndGet();
                            if (call == 1) {
                                begun.countDown();
                                awaitQuietly(waited);
                            } else if (call > 2) {
                                under.add(mappingAt(address));
                                awaitQuietly(goesOn);
                            }
                            return SystemCalls.current().syncPages(address, length);
                        });
        Fencing first = start(pages, 9);
        awaitQuietly(begun);
        Fencing second = start(pages, 9);
        second.awaitWaiting();
        waited.countDown();
        first.end().join();
        second.end().join();
        return pages;
    }

    /** Where the mapping starts that holds an address. */
    private static long mappingAt(long address) {
        try {
            return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .map(line -> line.substring(0, line.indexOf(' ')).split("-"))
                    .filter(ends -> Long.parseLong(ends[0], 16) <= address)
                    .filter(ends -> Long.parseLong(ends[1], 16) > address)
                    .mapToLong(ends -> Long.parseLong(ends[0], 16))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of a page that could not be written the thread learns whose it is, whoever synced it. */
    @Test
    @LinuxCalls("syncs go one after the other through one mapping")
    @Tag("sliced")
    void noFenceReturnsForWhatTheKernelForgot() throws IOException {
        Path path = directory.resolve("forgotten");
        Random random = new Random(SEED);
        for (int round = 0; round < DISKS_THAT_FORGET; round++) {
            try (ForgettingDisk disk = ForgettingDisk.of(path.toString(), (int) (PAGES * PAGE));
                    NativeFile forgotten = NativeFile.create(path)) {
                forgotten.allocate(PAGES * PAGE);
                try (MappedImage mapped =
                        MappedImage.map(
                                List.of(new Share(forgotten, 0, PAGES * PAGE)), Access.SHARED)) {
                    PageSyncing pages = new PageSyncing(mapped);
                    countInThreads(mapped, pages, 0, disk::durable, 300);
                    assertThat(disk.mappings()).isEqualTo(1 + OTHER_MAPPINGS);
                    disk.fail(1 + random.nextInt(100));
                    assertThatThrownBy(
                                    () ->
                                            countInThreads(
                                                    mapped,
                                                    pages,
                                                    0,
                                                    disk::durable,
                                                    Integer.MAX_VALUE))
                            .rootCause()
                            .hasMessageContaining("Input/output error");
                }
                assertThat(disk.mappings()).isZero();
            }
            Files.delete(path);
        }
    }

    /**
     * Two threads each have words of one page.
     *
     * @param first where they count
     * @param durable what the medium has
     */
    private static void countInThreads(
            MappedImage mapped,
            PageSyncing pages,
            long first,
            LongUnaryOperator durable,
            int counts) {
        List<CompletableFuture<Void>> threads =
                IntStream.range(0, 12)
                        .mapToObj(
                                thread ->
                                        CompletableFuture.runAsync(
                                                () ->
                                                        count(
                                                                mapped,
                                                                pages,
                                                                first
                                                                        + thread / 2 * 5 * PAGE
                                                                        + thread % 2 * 8,
                                                                durable,
                                                                counts),
                                                task -> Thread.ofPlatform().start(task)))
                        .toList();
        CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).join();
    }

    private static void count(
            MappedImage mapped,
            PageSyncing pages,
            long offset,
            LongUnaryOperator durable,
            int counts) {
        for (int i = 0; i < counts; i++) {
            long value = mapped.segment().get(ValueLayout.JAVA_LONG, offset) + 1;
            mapped.segment().set(ValueLayout.JAVA_LONG, offset, value);
            persist(pages, offset);
            assertThat(durable.applyAsLong(offset)).as("at %d", offset).isEqualTo(value);
        }
    }

    @Test
    @LinuxCalls("syncs go one after the other through one mapping")
    void whereFilesCannotBeOpenedOnceMoreSyncsGoOneAfterTheOther() {
        try (FailingCalls disk = FailingCalls.under(directory);
                NativeFile other = NativeFile.create(directory.resolve("other"))) {
            other.allocate(PAGES * PAGE);
            try (MappedImage mapped =
                    MappedImage.map(List.of(new Share(other, 0, PAGES * PAGE)), Access.SHARED)) {
                disk.failAll(FailingCalls.Call.OPEN, EMFILE);
                PageSyncing pages = new PageSyncing(mapped);

                crowdUntil(pages, () -> !disk.failed().isEmpty());
                crowd(pages);

                assertThat(disk.failed()).containsExactly("OPEN " + other.path());
            }
        }
    }

    /** What comes to an image is synced through all mappings, whichever came first. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @LinuxCalls("syncs go one after the other through one mapping")
    void anImageThatGrows(boolean crowdedBefore) {
        Path path = directory.resolve("end");
        int bytes = (int) (PAGES * PAGE);
        try (ForgettingDisk disk = ForgettingDisk.of(path.toString(), bytes);
                NativeFile end = NativeFile.create(path);
                NativeFile given = NativeFile.create(directory.resolve("given up"))) {
            end.allocate(bytes);
            given.allocate(bytes);
            try (MappedImage mapped =
                    MappedImage.map(
                            List.of(new Share(file, 0, bytes)), Access.SHARED, 2L * bytes)) {
                PageSyncing pages = new PageSyncing(mapped);
                if (crowdedBefore) {
                    crowd(pages);
                }
                mapped.append(new Share(given, 0, bytes));
                given.close();
                crowd(pages);
                mapped.append(new Share(end, 0, bytes));
                mapped.extend(bytes);
                countInThreads(mapped, pages, bytes, at -> disk.durable(at - bytes), 300);
                assertThat(disk.mappings()).isEqualTo(1 + OTHER_MAPPINGS);
            }
        }
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

                    PageSyncing failing = new PageSyncing(mapped, 8, (address, length) -> -EIO);
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
