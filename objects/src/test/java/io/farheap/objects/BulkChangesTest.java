package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import java.util.AbstractList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls that change many elements: all of them, or the transaction that they joined fails. */
class BulkChangesTest {
    @Persistent
    interface Root {
        PersistentList<Long> list();

        PersistentDeque<Long> deque();

        PersistentSet<Long> set();

        PersistentSortedSet<Long> sortedSet();

        PersistentMap<Long, Long> map();

        PersistentSortedMap<Long, Long> sortedMap();

        PersistentMap<Long, byte[]> arrays();

        long after();

        void after(long value);
    }

    private static final List<Long> THREE = List.of(1L, 2L, 3L);

    private final PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);

    @BeforeEach
    void fill() {
        Root root = heap.root();
        for (long number : THREE) {
            root.map().put(number, number);
            root.sortedMap().put(number, number);
            root.list().add(number);
            root.deque().add(number);
            root.set().add(number);
            root.sortedSet().add(number);
        }
    }

    @AfterEach
    void close() {
        heap.close();
    }

    static Stream<Arguments> calls() {
        return Stream.of(
                call("list.addAll", root -> root.list().addAll(oneAndText())),
                call("list.addAll at an index", root -> root.list().addAll(1, oneAndText())),
                call("list.removeIf", root -> root.list().removeIf(third())),
                call("list.removeAll", root -> root.list().removeAll(new Third())),
                call("list.retainAll", root -> root.list().retainAll(new Third())),
                call("list.replaceAll", root -> root.list().replaceAll(new Third()::twice)),
                call("subList.addAll", root -> root.list().subList(1, 3).addAll(oneAndText())),
                call(
                        "subList.replaceAll",
                        root -> root.list().subList(0, 3).replaceAll(new Third()::twice)),
                call("deque.addAll", root -> root.deque().addAll(oneAndText())),
                call("deque.removeIf", root -> root.deque().removeIf(third())),
                call("deque.removeAll", root -> root.deque().removeAll(new Third())),
                call("deque.retainAll", root -> root.deque().retainAll(new Third())),
                call("set.addAll", root -> root.set().addAll(oneAndText())),
                call("set.removeIf", root -> root.set().removeIf(third())),
                call("set.retainAll", root -> root.set().retainAll(new Third())),
                call("sortedSet.addAll", root -> root.sortedSet().addAll(oneAndText())),
                call("sortedSet.removeIf", root -> root.sortedSet().removeIf(third())),
                call("map.putAll", root -> root.map().putAll(oneAndTextAsMap())),
                call("sortedMap.putAll", root -> root.sortedMap().putAll(oneAndTextAsMap())),
                call("map.replaceAll", root -> root.map().replaceAll(twiceByTheThird())),
                call(
                        "sortedMap.replaceAll",
                        root -> root.sortedMap().replaceAll(twiceByTheThird())),
                call("keySet.removeIf", root -> root.map().keySet().removeIf(third())),
                call("values.removeIf", root -> root.sortedMap().values().removeIf(third())),
                call("values.retainAll", root -> root.map().values().retainAll(new Third())));
    }

    private static Arguments call(String name, Consumer<Root> call) {
        return Arguments.of(name, call);
    }

    /** As of a program that was compiled with unchecked casts. */
    @SuppressWarnings("unchecked")
    private static List<Long> oneAndText() {
        return (List<Long>) (List<?>) List.of(4L, "five");
    }

    @SuppressWarnings("unchecked")
    private static Map<Long, Long> oneAndTextAsMap() {
        Map<Long, Object> map = new LinkedHashMap<>();
        map.put(4L, 4L);
        map.put(5L, "five");
        return (Map<Long, Long>) (Map<?, ?>) map;
    }

    private static Predicate<Long> third() {
        Third third = new Third();
        return number -> third.twice(number) > 0;
    }

    private static BiFunction<Long, Long, Long> twiceByTheThird() {
        Third third = new Third();
        return (key, value) -> third.twice(value);
    }

    /** Fails when it is asked for the third time. */
    private static final class Third extends AbstractList<Long> {
        private int asked;

        long twice(long number) {
            asked++;
            if (asked == 3) {
                throw new IllegalStateException("the third");
            }
            return 2 * number;
        }

        @Override
        public boolean contains(Object number) {
            return twice((Long) number) > 0 && asked == 1;
        }

        @Override
        public Long get(int index) {
            return twice(index + 1) / 2;
        }

        @Override
        public int size() {
            return 3;
        }
    }

    @Test
    @Timeout(60)
    void whatIsEqualToNothingIsReplacedOnce() {
        PersistentMap<Long, byte[]> arrays = heap.root().arrays();
        byte[] none = arrays.put(1L, new byte[] {1});
        assertThat(none).isNull();
        arrays.replaceAll((key, value) -> new byte[] {(byte) (value[0] + 1)});
        assertThat(arrays.get(1L)).containsExactly(2);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("calls")
    void oneThatFailsHalfwayIsNeverCommittedInPart(String name, Consumer<Root> call) {
        String before = content();
        assertThatThrownBy(
                        () ->
                                heap.transaction(
                                        root -> {
                                            assertThatThrownBy(() -> call.accept(root))
                                                    .isInstanceOf(RuntimeException.class);
                                            root.after(1);
                                        }))
                .as(name)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("failed in its middle");
        assertThat(content()).isEqualTo(before);
    }

    /** They ask about all elements before the first leaves. */
    @Test
    void removalsFromAPartOfAListFailBeforeTheyChangeAnything() {
        List<Consumer<List<Long>>> calls =
                List.of(
                        part -> part.removeIf(third()),
                        part -> part.removeAll(new Third()),
                        part -> part.retainAll(new Third()));
        String before = heap.root().list().toString();
        for (Consumer<List<Long>> call : calls) {
            heap.transaction(
                    root -> {
                        List<Long> part = root.list().subList(0, 3);
                        assertThatThrownBy(() -> call.accept(part)).hasMessage("the third");
                        assertThat(part).hasSize(3);
                    });
        }
        assertThat(heap.root().list()).hasToString(before);
    }

    private String content() {
        return heap.read(
                root ->
                        List.of(
                                        root.list(),
                                        root.deque(),
                                        root.set(),
                                        root.sortedSet(),
                                        root.map(),
                                        root.sortedMap(),
                                        root.after())
                                .toString());
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void aListIsAddedToItself() {
        PersistentList<Long> list = heap.root().list();
        assertThat(list.addAll(heap.root().list())).isTrue();
        assertThat(list).containsExactly(1L, 2L, 3L, 1L, 2L, 3L);
        assertThat(list.addAll(1, list.reversed())).isTrue();
        assertThat(list).containsExactly(1L, 3L, 2L, 1L, 3L, 2L, 1L, 2L, 3L, 1L, 2L, 3L);
    }
}
