package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.ulog.RedoOperations;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class HeapThreadsTest {
    private static final int THREADS = 4;
    private static final int STEPS = 4000;
    private static final long SEED = 77;

    private final PoolMemory memory = new CrashSimulation(TestHeap.imageSize(60)).memory();

    /** Where the heap is small, arenas take runs from each other all the time. */
    @ParameterizedTest
    @CsvSource({"60, 4", "60, 1", "7, 4"})
    void threadsNeverGetTheSameSpaceAndLoseNone(int chunks, int arenas) throws Exception {
        PoolMemory all = new CrashSimulation(TestHeap.imageSize(chunks)).memory();
        TestHeap test = TestHeap.create(all, new HeapSettings(arenas, false));
        Map<Long, Long> objects = new ConcurrentHashMap<>();
        List<Callable<Void>> workers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(SEED + i);
            long type = 1L + i;
            workers.add(
                    () -> {
                        work(test.heap, all, random, type, objects);
                        return null;
                    });
        }
        runAll(workers);
        test.model.putAll(objects);
        test.check();
        test.checkQueries();
        test.reboot();
        test.checkQueries();
        List.copyOf(test.model.keySet()).forEach(test::free);
        test.allocate(chunks * HeapLayout.CHUNK_BYTES - 16, 99);
        test.check();
    }

    private void work(
            Heap heap, PoolMemory all, Random random, long type, Map<Long, Long> objects) {
        List<Long> mine = new ArrayList<>();
        Reservation reservation = new Reservation();
        Freeing freeing = new Freeing();
        RedoOperations operations = new RedoOperations();
        for (int step = 0; step < STEPS; step++) {
            if (mine.size() < 20 || random.nextInt(100) < 48 && mine.size() < 200) {
                if (!reserve(heap, random, type, reservation)) {
                    continue;
                }
                long offset = reservation.userOffset();
                all.putLong(offset, type * STEPS + step);
                if (random.nextInt(5) == 0) {
                    heap.cancel(reservation);
                    continue;
                }
                apply(all, reservation, operations);
                assertThat(all.getLong(offset)).isEqualTo(type * STEPS + step);
                assertThat(objects.put(offset, type)).isNull();
                heap.published(reservation);
                mine.add(offset);
            } else {
                long offset = mine.remove(random.nextInt(mine.size()));
                assertThat(heap.isAllocated(offset)).isTrue();
                assertThat(heap.typeNumber(offset)).isEqualTo(type);
                heap.prepareFree(offset, freeing);
                objects.remove(offset);
                apply(all, freeing, operations);
                heap.freed(freeing);
            }
            if (step % 200 == 0) {
                long seen = heap.first();
                assertThat(seen == Heap.NONE || seen < all.size()).isTrue();
            }
        }
    }

    private static boolean reserve(Heap heap, Random random, long type, Reservation reservation) {
        int kind = random.nextInt(20);
        long size = kind == 0 ? 262_128 : 1 + random.nextInt(kind < 4 ? 20_000 : 600);
        try {
            heap.reserve(size, type, 0, reservation);
            return true;
        } catch (FarheapException e) {
            assertThat(e.category()).isEqualTo(FarheapException.Category.ENVIRONMENT);
            return false;
        }
    }

    private static void apply(PoolMemory memory, RedoWord word, RedoOperations operations) {
        operations.clear();
        word.addTo(operations);
        long offset = operations.offset(0);
        switch (operations.kind(0)) {
            case SET -> memory.putLongRelease(offset, operations.value(0));
            case AND -> memory.andLong(offset, operations.value(0));
            case OR -> memory.orLong(offset, operations.value(0));
        }
    }

    @Test
    void whileARunIsSetUpOthersAllocateAndFree() throws Exception {
        CountDownLatch setUp = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        boolean[] wait = {false};
        TestHeap test =
                TestHeap.create(
                        memory,
                        stores -> {
                            if (wait[0]) {
                                setUp.countDown();
                                await(goOn);
                            }
                            stores.applyTo(memory);
                        });
        long old = test.allocate(100, 1);
        wait[0] = true;
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<Long> other =
                    executor.submit(
                            () -> {
                                Reservation reservation = new Reservation();
                                test.heap.reserve(5000, 2, 0, reservation);
                                return reservation.userOffset();
                            });
            await(setUp);
            Reservation reservation = test.reserve(100, 3);
            test.publish(reservation, 3);
            test.free(old);
            test.heap.cancel(test.reserve(100, 4));
            assertThat(other.isDone()).isFalse();
            goOn.countDown();
            assertThat(test.heap.isAllocated(other.get(10, TimeUnit.SECONDS))).isTrue();
        }
        test.check();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void reservingAndFreeingMakesNoGarbage() {
        PoolMemory plain = new PoolMemory(memory.image(), new NothingIsLost());
        TestHeap test = TestHeap.create(plain);
        Reservation reservation = new Reservation();
        Freeing freeing = new Freeing();
        RedoOperations operations = new RedoOperations();
        ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = bean.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1000; i++) {
                test.heap.reserve(i % 2 == 0 ? 50 : 262_128, 1, 0, reservation);
                apply(plain, reservation, operations);
                long offset = reservation.userOffset();
                test.heap.published(reservation);
                test.heap.prepareFree(offset, freeing);
                apply(plain, freeing, operations);
                test.heap.freed(freeing);
            }
            least = Math.min(least, bean.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).as("bytes allocated by 1000 pairs").isLessThan(1000);
    }

    private static void runAll(List<Callable<Void>> workers)
            throws InterruptedException, ExecutionException {
        try (ExecutorService executor = Executors.newFixedThreadPool(workers.size())) {
            for (Future<Void> result : executor.invokeAll(workers)) {
                result.get();
            }
        }
    }
}
