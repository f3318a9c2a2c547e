package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What lists, deques and counters do beyond the contract. */
class SequencesTest {
    private static final long SEED = 20261124;

    private static final CollectionType<PersistentList<String>> LISTS =
            CollectionType.list(OwnedText.TEXT, 1);
    private static final CollectionType<PersistentDeque<String>> DEQUES =
            CollectionType.deque(OwnedText.TEXT, 1);

    private OpenHeap heap;

    @BeforeEach
    void create() {
        heap = OpenHeap.create(16 << 20);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    @Test
    void randomChangesOfAListAreThoseOfAnArrayList() {
        Random random = new Random(SEED);
        long header = heap.create(LISTS);
        PersistentList<String> list = LISTS.open(heap.heap, header);
        List<String> model = new ArrayList<>();
        for (int step = 0; step < 4000; step++) {
            int most = step / 500 % 2 == 0 ? 7 : 3;
            int choice = random.nextInt(10);
            int index = model.isEmpty() ? 0 : random.nextInt(model.size());
            String element = "e" + step;
            if (choice < most - 2) {
                list.add(index, element);
                model.add(index, element);
            } else if (choice < most) {
                assertThat(list.add(element)).isEqualTo(model.add(element));
            } else if (!model.isEmpty()) {
                if (choice == 9) {
                    assertThat(list.set(index, element)).isEqualTo(model.set(index, element));
                }
                assertThat(list.get(index)).isEqualTo(model.get(index));
                assertThat(list.remove(index)).isEqualTo(model.remove(index));
            }
            assertThat(list.size()).isEqualTo(model.size());
            if (step % 250 == 249) {
                assertThat(list).as("seed %d", SEED).isEqualTo(model);
                heap.assertOwnsAll(LISTS, header);
            }
        }
        list.subList(0, list.size()).clear();
        heap.assertOwnsAll(LISTS, header);
        heap.delete(LISTS, header);
        heap.assertEmpty();
    }

    @Test
    void randomChangesOfADequeAreThoseOfAnArrayDeque() {
        Random random = new Random(SEED);
        long header = heap.create(DEQUES);
        PersistentDeque<String> deque = DEQUES.open(heap.heap, header);
        ArrayDeque<String> model = new ArrayDeque<>();
        for (int step = 0; step < 4000; step++) {
            String element = "e" + step % 60;
            switch (random.nextInt(step / 500 % 2 == 0 ? 5 : 8)) {
                case 0, 1 ->
                        assertThat(deque.offerLast(element)).isEqualTo(model.offerLast(element));
                case 2 ->
                        assertThat(deque.offerFirst(element)).isEqualTo(model.offerFirst(element));
                case 3 ->
                        assertThat(deque.removeLastOccurrence(element))
                                .isEqualTo(model.removeLastOccurrence(element));
                case 4, 5 -> assertThat(deque.pollFirst()).isEqualTo(model.pollFirst());
                default -> assertThat(deque.pollLast()).isEqualTo(model.pollLast());
            }
            assertThat(deque.size()).isEqualTo(model.size());
            assertThat(deque.peekFirst()).isEqualTo(model.peekFirst());
            assertThat(deque.peekLast()).isEqualTo(model.peekLast());
            if (step % 250 == 249) {
                assertThat(deque).as("seed %d", SEED).containsExactlyElementsOf(model);
                heap.assertOwnsAll(DEQUES, header);
            }
        }
        heap.delete(DEQUES, header);
        heap.assertEmpty();
    }

    @Test
    void takeReturnsWhenAnElementIsCommittedAndNotBefore() throws Exception {
        PersistentDeque<String> deque = DEQUES.open(heap.heap, heap.create(DEQUES));
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Thread[] taker = new Thread[1];
            Future<String> taken =
                    executor.submit(
                            () -> {
                                taker[0] = Thread.currentThread();
                                return deque.take();
                            });
            await().until(
                            () ->
                                    taker[0] != null
                                            && taker[0].getState() == Thread.State.TIMED_WAITING);
            assertThat(taken).isNotDone();
            deque.add("a");
            assertThat(taken.get(60, TimeUnit.SECONDS)).isEqualTo("a");
        }
        assertThat(deque).isEmpty();
    }

    @Test
    void whatManyOfferManyTakeOnce() throws Exception {
        PersistentDeque<String> deque = DEQUES.open(heap.heap, heap.create(DEQUES));
        List<CompletableFuture<List<String>>> takers = new ArrayList<>();
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            for (int i = 0; i < 3; i++) {
                takers.add(CompletableFuture.supplyAsync(() -> takeTillEnd(deque), executor));
                int first = i * 100;
                executor.execute(
                        () -> {
                            for (int j = 0; j < 100; j++) {
                                deque.add(String.valueOf(first + j));
                            }
                            deque.add("end");
                        });
            }
            List<String> all = new ArrayList<>();
            for (CompletableFuture<List<String>> taker : takers) {
                all.addAll(taker.get(60, TimeUnit.SECONDS));
            }
            deque.drainTo(all);
            assertThat(all.stream().filter(one -> !one.equals("end")))
                    .hasSize(300)
                    .doesNotHaveDuplicates();
        }
    }

    private static List<String> takeTillEnd(PersistentDeque<String> deque) {
        List<String> taken = new ArrayList<>();
        try {
            while (taken.isEmpty() || !taken.getLast().equals("end")) {
                taken.add(deque.take());
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return taken;
    }

    @Test
    void aTimedPollOfAnEmptyDequeEnds() throws Exception {
        PersistentDeque<String> deque = DEQUES.open(heap.heap, heap.create(DEQUES));
        assertThat(deque.poll(1, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    void takeWithinATransactionSaysWhyItCannotWait() {
        PersistentDeque<String> deque = DEQUES.open(heap.heap, heap.create(DEQUES));
        assertThatThrownBy(() -> heap.heap.transaction(tx -> takeUnchecked(deque)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("call take() outside");
    }

    private static String takeUnchecked(PersistentDeque<String> deque) {
        try {
            return deque.take();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aCounterLosesNothing() {
        CollectionType<PersistentCounter> type = CollectionType.counter();
        long header = heap.create(type);
        PersistentCounter counter = type.open(heap.heap, header);
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(
                    CompletableFuture.runAsync(
                            () -> {
                                for (int j = 0; j < 250; j++) {
                                    counter.increment();
                                    counter.add(-3);
                                }
                            }));
        }
        threads.forEach(CompletableFuture::join);
        assertThat(counter.get()).isEqualTo(-2000);
        heap.assertOwnsAll(type, header);
        heap.delete(type, header);
        heap.assertEmpty();
        assertThatThrownBy(counter::get)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("was deleted");
    }
}
