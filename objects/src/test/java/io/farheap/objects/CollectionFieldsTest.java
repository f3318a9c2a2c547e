package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentBlob;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import io.farheap.objects.schema.SortedBy;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every collection as a field, with elements of different kinds. */
class CollectionFieldsTest {
    @Persistent
    interface Root {
        All all();

        void all(All value);
    }

    @Persistent
    interface All {
        PersistentMap<String, All> map();

        PersistentSet<Event> set();

        PersistentSortedMap<Instant, String> sortedMap();

        PersistentSortedSet<String> sortedSet();

        @SortedBy(ByLength.class)
        PersistentSortedSet<String> byLength();

        PersistentList<Event> list();

        PersistentDeque<Long> deque();

        PersistentCounter counter();

        PersistentBlob blob();
    }

    record Event(Instant when, String text, All about) {}

    static final class ByLength implements Comparator<String> {
        @Override
        public int compare(String one, String other) {
            return Integer.compare(one.length(), other.length());
        }
    }

    @Persistent
    interface Unordered {
        PersistentSortedSet<Event> events();

        @SortedBy(ByLength.class)
        PersistentSet<String> words();
    }

    /** Of one object. */
    private static final int COLLECTIONS = 9;

    private final PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);

    @AfterEach
    void close() {
        heap.close();
    }

    @Test
    void eachHoldsItsElements() throws IOException {
        All all = filled();
        assertThat(all.map()).containsOnlyKeys("itself");
        assertThat(all.map().get("itself")).isEqualTo(all);
        assertThat(all.set())
                .containsExactly(new Event(Instant.EPOCH, "an event, with a text", all));
        assertThat(all.sortedMap().firstEntry().getValue()).isEqualTo("first");
        assertThat(all.sortedSet()).containsExactly("a", "ccc", "dd");
        assertThat(all.byLength()).containsExactly("a", "dd", "ccc");
        assertThat(all.list()).hasSize(2).endsWith(new Event(null, null, null));
        assertThat(all.deque()).containsExactly(1L, 2L);
        assertThat(all.counter().get()).isEqualTo(42);
        assertThat(all.blob().newInputStream().readAllBytes()).containsExactly(1, 2, 3);
    }

    @Test
    void allGoWithTheirObject() throws IOException {
        long before = objects();
        All all = filled();
        assertThat(heap.unreachable().objects()).as("all is reached").isZero();
        heap.delete(all);
        assertThat(objects()).as("its place and headers stay").isEqualTo(before + 1 + COLLECTIONS);
        heap.root().all(null);
        heap.reclaim();
        assertThat(objects()).isEqualTo(before);
    }

    @Test
    void whoHoldsACollectionOfADeletedObjectIsToldSo() throws IOException {
        All all = filled();
        List<Supplier<?>> uses = uses(all);
        heap.delete(all);
        List<All> later = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            later.add(filled());
        }
        assertThat(uses)
                .hasSize(COLLECTIONS)
                .allSatisfy(
                        use ->
                                assertThatThrownBy(use::get)
                                        .isInstanceOf(FarheapException.class)
                                        .hasMessageEndingWith("was deleted."));
        for (All one : later) {
            assertThat(uses(one)).allSatisfy(use -> assertThat(use.get()).isNotNull());
        }
    }

    /** One of each of its collections, which are asked for now. */
    private static List<Supplier<?>> uses(All all) {
        PersistentMap<String, All> map = all.map();
        PersistentSet<Event> set = all.set();
        PersistentSortedMap<Instant, String> sortedMap = all.sortedMap();
        PersistentSortedSet<String> sortedSet = all.sortedSet();
        PersistentSortedSet<String> byLength = all.byLength();
        PersistentList<Event> list = all.list();
        PersistentDeque<Long> deque = all.deque();
        PersistentCounter counter = all.counter();
        PersistentBlob blob = all.blob();
        return List.of(
                () -> map.get("itself"),
                () -> set.add(new Event(Instant.MAX, "another", null)),
                () -> sortedMap.put(Instant.EPOCH, "between") == null,
                sortedSet::first,
                () -> byLength.add("four"),
                () -> list.add(new Event(null, null, null)),
                deque::pollFirst,
                () -> {
                    counter.increment();
                    return counter.get();
                },
                blob::size);
    }

    @Test
    void reclaimFindsWhatEachHolds() throws IOException {
        long before = objects();
        All unused = filled();
        heap.root().all(null);
        assertThat(heap.reclaim().objects()).isGreaterThan(10);
        assertThat(objects()).isEqualTo(before);
    }

    @Test
    void anOrderIsNeededAndOnlyWhereThereIsOne() {
        assertThatThrownBy(() -> PersistentTypes.check(Unordered.class))
                .hasMessageContaining("Unordered.events() is sorted, and values of type record")
                .hasMessageContaining("have no order: give one by @SortedBy")
                .hasMessageContaining("Unordered.words() has @SortedBy and is no sorted");
    }

    private All filled() throws IOException {
        All all = heap.create(All.class);
        heap.root().all(all);
        all.map().put("itself", all);
        all.set().add(new Event(Instant.EPOCH, "an event, with a text", all));
        all.sortedMap().put(Instant.MAX, "last, and longer than a slot");
        all.sortedMap().put(Instant.MIN, "first");
        all.sortedSet().addAll(List.of("dd", "a", "ccc"));
        all.byLength().addAll(List.of("dd", "a", "ccc"));
        all.list().add(new Event(Instant.EPOCH, "an event, with a text", all));
        all.list().add(new Event(null, null, null));
        all.deque().addLast(2L);
        all.deque().addFirst(1L);
        all.counter().add(42);
        all.blob().newOutputStream().write(new byte[] {1, 2, 3});
        return all;
    }

    private long objects() {
        long count = 0;
        for (Ref object : heap.pool().objects()) {
            count += object.isNull() ? 0 : 1;
        }
        return count;
    }
}
