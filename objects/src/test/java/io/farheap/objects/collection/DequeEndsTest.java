package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.objects.schema.PersistentDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A deque answers at either end, by each name, what a {@link LinkedBlockingDeque} answers. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DequeEndsTest {
    private static final int ROUNDS = 40;

    private interface Use {
        Object of(BlockingDeque<String> deque, String element) throws InterruptedException;
    }

    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final Map<String, Use> uses = uses();
    private OpenHeap heap;

    @BeforeEach
    void create() {
        heap = OpenHeap.create(16 << 20);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    private static Map<String, Use> uses() {
        Map<String, Use> uses = new LinkedHashMap<>();
        put(uses, "addFirst", BlockingDeque::addFirst);
        put(uses, "addLast", BlockingDeque::addLast);
        put(uses, "putFirst", BlockingDeque::putFirst);
        put(uses, "putLast", BlockingDeque::putLast);
        put(uses, "put", BlockingDeque::put);
        put(uses, "push", BlockingDeque::push);
        uses.put("add", BlockingDeque::add);
        uses.put("offer", BlockingDeque::offer);
        uses.put("offerFirst", BlockingDeque::offerFirst);
        uses.put("offerLast", BlockingDeque::offerLast);
        uses.put("offer in time", (deque, one) -> deque.offer(one, 1, TimeUnit.SECONDS));
        uses.put("offerFirst in time", (deque, one) -> deque.offerFirst(one, 1, TimeUnit.SECONDS));
        uses.put("offerLast in time", (deque, one) -> deque.offerLast(one, 1, TimeUnit.SECONDS));
        uses.put("pollFirst in time", (deque, one) -> deque.pollFirst(1, TimeUnit.MILLISECONDS));
        uses.put("pollLast in time", (deque, one) -> deque.pollLast(1, TimeUnit.MILLISECONDS));
        uses.put("poll in time", (deque, one) -> deque.poll(1, TimeUnit.MILLISECONDS));
        uses.put("take", (deque, one) -> deque.isEmpty() ? null : deque.take());
        uses.put("takeFirst", (deque, one) -> deque.isEmpty() ? null : deque.takeFirst());
        uses.put("takeLast", (deque, one) -> deque.isEmpty() ? null : deque.takeLast());
        uses.put("removeFirst", (deque, one) -> deque.removeFirst());
        uses.put("removeLast", (deque, one) -> deque.removeLast());
        uses.put("remove", (deque, one) -> deque.remove());
        uses.put("pop", (deque, one) -> deque.pop());
        uses.put("getFirst", (deque, one) -> deque.getFirst());
        uses.put("getLast", (deque, one) -> deque.getLast());
        uses.put("element", (deque, one) -> deque.element());
        uses.put("peekFirst", (deque, one) -> deque.peekFirst());
        uses.put("peekLast", (deque, one) -> deque.peekLast());
        uses.put("descending", (deque, one) -> list(deque.descendingIterator()));
        uses.put("remove descending", (deque, one) -> removeSome(deque.descendingIterator()));
        uses.put("remove ascending", (deque, one) -> removeSome(deque.iterator()));
        uses.put("remove first of", BlockingDeque::removeFirstOccurrence);
        uses.put("remove last of", BlockingDeque::removeLastOccurrence);
        return uses;
    }

    private interface Addition {
        void to(BlockingDeque<String> deque, String element) throws InterruptedException;
    }

    private static void put(Map<String, Use> uses, String name, Addition addition) {
        uses.put(
                name,
                (deque, element) -> {
                    addition.to(deque, element);
                    return null;
                });
    }

    private static List<String> list(Iterator<String> elements) {
        List<String> list = new ArrayList<>();
        elements.forEachRemaining(list::add);
        return list;
    }

    private static List<String> removeSome(Iterator<String> elements) {
        List<String> removed = new ArrayList<>();
        while (elements.hasNext()) {
            String element = elements.next();
            if (element.endsWith("3")) {
                elements.remove();
                removed.add(element);
            }
        }
        return removed;
    }

    private static Object outcome(Use use, BlockingDeque<String> deque, String element)
            throws InterruptedException {
        try {
            return use.of(deque, element);
        } catch (NoSuchElementException empty) {
            return NoSuchElementException.class;
        }
    }

    @Test
    void eachNameDoesWhatItDoesOfALinkedBlockingDeque() throws Exception {
        CollectionType<PersistentDeque<String>> type = CollectionType.deque(OwnedText.TEXT, 1);
        long header = heap.create(type);
        PersistentDeque<String> deque = type.open(heap.heap, header);
        LinkedBlockingDeque<String> model = new LinkedBlockingDeque<>();
        List<String> names = new ArrayList<>(uses.keySet());
        for (int step = 0; step < ROUNDS * names.size(); step++) {
            String name = step < names.size() ? names.get(step) : pick(names);
            String element = "e" + random.nextInt(30);
            Use use = uses.get(name);
            assertThat(outcome(use, deque, element))
                    .as("%s(%s) of %s, seed %d", name, element, model, seed)
                    .isEqualTo(outcome(use, model, element));
            assertThat(deque).as("after %s, seed %d", name, seed).containsExactlyElementsOf(model);
        }
        assertThat(deque.remainingCapacity()).isEqualTo(Integer.MAX_VALUE);
        heap.assertOwnsAll(type, header);
    }

    private String pick(List<String> names) {
        return names.get(random.nextInt(names.size()));
    }

    @Test
    void anEmptyOneHasNoEnds() throws Exception {
        CollectionType<PersistentDeque<String>> type = CollectionType.deque(OwnedText.TEXT, 1);
        PersistentDeque<String> deque = type.open(heap.heap, heap.create(type));
        for (Map.Entry<String, Use> use : uses.entrySet()) {
            assertThat(outcome(use.getValue(), deque, "x"))
                    .as(use.getKey())
                    .isEqualTo(outcome(use.getValue(), new LinkedBlockingDeque<>(), "x"));
            deque.clear();
        }
    }
}
