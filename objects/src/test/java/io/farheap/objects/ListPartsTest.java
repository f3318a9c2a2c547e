package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parts of lists, and ends of lists, while others change the list or a transaction runs again. */
class ListPartsTest {
    record Bytes(byte[] of) {}

    @Persistent
    interface Root {
        PersistentList<Bytes> bytes();

        PersistentList<String> list();

        PersistentList<String> archive();

        PersistentMap<Long, String> map();

        long other();

        void other(long value);
    }

    private static final List<String> FIVE =
            IntStream.range(0, 5).mapToObj(i -> "the element number " + i).toList();

    private final PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);
    private final PersistentList<String> list = heap.root().list();

    @BeforeEach
    void fill() {
        list.addAll(FIVE);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    /** Also where the list is a tree of chunks, and where nothing is left of it. */
    @ParameterizedTest
    @ValueSource(ints = {5, 500})
    void aPartThatIsThereNoMoreIsNotCleared(int size) {
        while (list.size() < size) {
            list.addAll(FIVE);
        }
        List<String> tail = list.subList(size - 3, size);
        String last = list.remove(size - 1);
        assertThat(last).isEqualTo(FIVE.get(4));
        List<String> before = new ArrayList<>(list);
        assertThatThrownBy(tail::clear).isInstanceOf(ConcurrentModificationException.class);
        assertThat(list).isEqualTo(before);
        list.clear();
        assertThatThrownBy(tail::clear).isInstanceOf(ConcurrentModificationException.class);
        assertThat(list).isEmpty();
    }

    @Test
    void aPartThatATransactionChangedIsAsBeforeWhenItRunsAgain() {
        List<String> head = list.subList(0, 3);
        List<String> within = head.subList(0, 2);
        int[] runs = new int[1];
        heap.transaction(
                root -> {
                    long seen = root.other();
                    root.archive().addAll(within);
                    within.clear();
                    assertThat(head).containsExactly(FIVE.get(2));
                    if (runs[0]++ == 0) {
                        CompletableFuture.runAsync(() -> heap.root().other(seen + 1)).join();
                    }
                });
        assertThat(runs[0]).isEqualTo(2);
        assertThat(heap.root().archive()).isEqualTo(FIVE.subList(0, 2));
        assertThat(within).isEmpty();
        assertThat(head).containsExactly(FIVE.get(2));
        assertThat(list).isEqualTo(FIVE.subList(2, 5));
    }

    @Test
    void aPartIsAsBeforeAfterARollback() {
        List<String> part = list.subList(1, 4);
        try (TransactionHandle transaction = heap.begin()) {
            part.add("one more");
            part.removeIf(FIVE.get(1)::equals);
            part.remove(FIVE.get(2));
            assertThat(part).containsExactly(FIVE.get(3), "one more");
            transaction.rollback();
        }
        assertThat(part).isEqualTo(FIVE.subList(1, 4));
    }

    @Test
    void conditionsSeeThePartAsItIs() {
        List<String> part = list.subList(0, 2);
        assertThat(part.removeIf(one -> one.equals(FIVE.get(0)) || part.contains("not there")))
                .isTrue();
        assertThat(part).containsExactly(FIVE.get(1));
        assertThat(part.removeAll(list.subList(0, 1))).isTrue();
        assertThat(list).isEqualTo(FIVE.subList(2, 5));
    }

    /** As java.util's lists do. */
    @Test
    void whatIsInAPartOfAListLeavesIt() {
        List<String> plain = new ArrayList<>(FIVE);
        assertThat(list.removeAll(list.subList(0, 2))).isTrue();
        assertThat(plain.removeAll(List.copyOf(plain.subList(0, 2)))).isTrue();
        assertThat(list).isEqualTo(plain);
        assertThat(list.retainAll(list.reversed().subList(0, 2))).isTrue();
        assertThat(list).isEqualTo(plain.subList(1, 3));
        assertThat(list.removeAll(list.reversed())).isTrue();
        assertThat(list).isEmpty();
    }

    /** Not an element beside it, which has its place now. */
    @Test
    void anIteratorRemovesWhatItReturned() {
        Iterator<String> elements = list.iterator();
        assertThat(elements.next()).isEqualTo(FIVE.get(0));
        String removed = list.remove(0);
        assertThat(removed).isEqualTo(FIVE.get(0));
        assertThatThrownBy(elements::remove).isInstanceOf(ConcurrentModificationException.class);
        assertThat(list).isEqualTo(FIVE.subList(1, 5));
    }

    /** Of the list, of a part of it, and of the list from its end. */
    @Test
    void soDoesEachIteratorOfAList() {
        for (ListIterator<String> elements :
                List.of(
                        list.listIterator(),
                        list.subList(0, 3).listIterator(),
                        list.reversed().listIterator())) {
            String returned = elements.next();
            boolean isFirst = returned.equals(list.getFirst());
            list.add(isFirst ? 0 : list.size(), "beside " + list.size());
            List<String> before = List.copyOf(list);
            if (isFirst) {
                assertThatThrownBy(elements::remove)
                        .isInstanceOf(ConcurrentModificationException.class);
                assertThatThrownBy(() -> elements.set("another"))
                        .isInstanceOf(ConcurrentModificationException.class);
            } else {
                elements.remove();
                assertThat(list).doesNotContain(returned);
                continue;
            }
            assertThat(list).isEqualTo(before);
        }
    }

    @Test
    void anIteratorStandsWhereItStoodWhenATransactionRunsAgain() {
        ListIterator<String> setting = list.listIterator();
        assertThat(setting.next()).isEqualTo(FIVE.get(0));
        int[] runs = new int[1];
        heap.transaction(
                root -> {
                    long seen = root.other();
                    setting.set("another");
                    setting.add("one more");
                    if (runs[0]++ == 0) {
                        CompletableFuture.runAsync(() -> heap.root().other(seen + 1)).join();
                    }
                });
        assertThat(runs[0]).isEqualTo(2);
        assertThat(list.subList(0, 3)).containsExactly("another", "one more", FIVE.get(1));
        assertThat(setting.next()).isEqualTo(FIVE.get(1));
    }

    @Test
    void anIteratorRemovesARecordThatIsEqualToNothing() {
        PersistentList<Bytes> all = heap.root().bytes();
        all.addAll(List.of(new Bytes(new byte[] {1}), new Bytes(new byte[] {2})));
        Iterator<Bytes> each = all.iterator();
        Bytes first = each.next();
        each.remove();
        assertThat(first.of()).containsExactly(1);
        ListIterator<Bytes> last = all.listIterator();
        assertThat(last.next().of()).containsExactly(2);
        last.set(new Bytes(new byte[] {3}));
        last.set(new Bytes(new byte[] {4}));
        assertThat(all.get(0).of()).containsExactly(4);
        last.remove();
        assertThat(all).isEmpty();
    }

    @Test
    void endsAreTakenByOneEach() {
        list.clear();
        int each = 2_000;
        CompletableFuture<?> adding =
                CompletableFuture.runAsync(
                        () -> IntStream.range(0, 2 * each).forEach(i -> list.add("" + i)));
        List<CompletableFuture<List<String>>> taking =
                IntStream.range(0, 2)
                        .mapToObj(i -> CompletableFuture.supplyAsync(() -> taken(each)))
                        .toList();
        adding.join();
        List<String> all = new ArrayList<>();
        taking.forEach(one -> all.addAll(one.join()));
        assertThat(all).doesNotHaveDuplicates().hasSize(2 * each);
        assertThat(list).isEmpty();
    }

    private List<String> taken(int count) {
        List<String> taken = new ArrayList<>();
        while (taken.size() < count) {
            try {
                taken.add(taken.size() % 2 == 0 ? list.removeLast() : list.removeFirst());
            } catch (NoSuchElementException none) {
                Thread.onSpinWait(); // until there are some
            }
        }
        return taken;
    }

    /** A stream counts on no size that was asked for before. */
    @Test
    void streamsAreWholeWhileOthersAdd() {
        PersistentMap<Long, String> map = heap.root().map();
        CompletableFuture<?> changing =
                CompletableFuture.runAsync(
                        () -> {
                            for (long i = 0; i < 3_000; i++) {
                                map.put(i % 50, "" + i);
                                String unused = map.remove((i + 25) % 50);
                                list.add("" + i);
                                unused = list.removeFirst();
                            }
                        });
        int streams = 0;
        while (!changing.isDone() || streams < 10) {
            assertThat(map.values().stream().map(String::length).toList()).doesNotContain(0);
            assertThat(map.keySet().stream().toList()).hasSizeLessThanOrEqualTo(50);
            assertThat(list.stream().map(String::length).toList()).doesNotContain(0);
            streams++;
        }
        changing.join();
    }
}
