package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.SortedBy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A reference to a deleted object is an error to whoever reads it, not to who takes it away. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DeletedReferencesTest {
    @Persistent
    interface Node {
        long number();

        void number(long value);
    }

    /** Of a fixed size, and of none. */
    record Link(Node to, long weight) {}

    record Label(Node to, String name) {}

    static final class ByName implements Comparator<Label> {
        @Override
        public int compare(Label one, Label other) {
            return one.name().compareTo(other.name());
        }
    }

    @Persistent
    interface Root {
        PersistentMap<String, Link> links();

        @SortedBy(ByName.class)
        PersistentSortedMap<Label, Node[]> labels();

        PersistentSet<Link> linkSet();

        PersistentList<Label> labelList();

        PersistentMap<String, Node> map();

        PersistentSortedMap<String, Node> sortedMap();

        PersistentMap<Node, Long> byNode();

        PersistentSet<Node> set();

        PersistentList<Node> list();

        PersistentDeque<Node> deque();
    }

    private final PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);
    private final Root root = heap.root();
    private final Node deleted = heap.create(Node.class);
    private final Node other = heap.create(Node.class, node -> node.number(7));

    @BeforeEach
    void fillAndDelete() {
        for (Map<String, Node> map : List.of(root.map(), root.sortedMap())) {
            map.put("a", deleted);
            map.put("b", other);
        }
        for (Node node : List.of(deleted, other)) {
            root.byNode().put(node, 1L);
            root.set().add(node);
            root.list().add(node);
            root.deque().add(node);
        }
        Link link = new Link(deleted, 1);
        root.links().put("a", link);
        root.linkSet().add(link);
        root.labels().put(new Label(deleted, "a"), new Node[] {other, deleted});
        root.labelList().add(new Label(deleted, "a"));
        heap.delete(deleted);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    private void requireDeleted(Node node) {
        assertThat(node).isEqualTo(deleted);
        assertThatThrownBy(node::number).isInstanceOf(DeletedObjectException.class);
    }

    // ---- maps ----

    /** What takes a value out of a map and returns it. */
    static Stream<Arguments> takes() {
        return maps(
                taking("remove", (map, node) -> map.remove("a")),
                taking("put", (map, node) -> map.put("a", node)),
                taking("replace", (map, node) -> map.replace("a", node)),
                taking(
                        "compute",
                        (map, node) ->
                                old(old -> map.compute("a", (key, was) -> old.put(was, node)))),
                taking(
                        "computeIfPresent",
                        (map, node) ->
                                old(
                                        old ->
                                                map.computeIfPresent(
                                                        "a", (key, was) -> old.put(was, null)))),
                taking("merge", (map, node) -> old(old -> map.merge("a", node, old::put))));
    }

    /** Keeps the value that a function was given. */
    private static final class Old {
        private Node node;

        Node put(Node was, Node next) {
            node = was;
            return next;
        }
    }

    private static Node old(Function<Old, Node> call) {
        Old old = new Old();
        Node unused = call.apply(old);
        return old.node;
    }

    private interface Taking {
        Node take(Map<String, Node> map, Node other);
    }

    private static Named<Taking> taking(String name, Taking taking) {
        return new Named<>(name, taking);
    }

    private record Named<C>(String name, C call) {}

    private static final Function<Root, Map<String, Node>> HASHED = Root::map;
    private static final Function<Root, Map<String, Node>> SORTED = Root::sortedMap;

    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read
    private static <C> Stream<Arguments> maps(Named<C>... calls) {
        return Arrays.stream(calls)
                .flatMap(
                        named ->
                                Stream.of(
                                        Arguments.of("map." + named.name, HASHED, named.call),
                                        Arguments.of(
                                                "sortedMap." + named.name, SORTED, named.call)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("takes")
    void aMapGivesUpAValue(String name, Function<Root, Map<String, Node>> of, Taking taking) {
        Map<String, Node> map = of.apply(root);
        requireDeleted(taking.take(map, other));
        assertThat(map.get("a")).isIn(other, null);
        assertThat(map.get("b")).isEqualTo(other);
    }

    /** What is true of a map, or makes it so, without a value to hand out. */
    static Stream<Arguments> answers() {
        return maps(
                answer("containsKey", (map, node) -> map.containsKey("a")),
                answer("size", (map, node) -> map.size() == 2 && !map.isEmpty()),
                answer("keySet", (map, node) -> List.of("a", "b").equals(sorted(map.keySet()))),
                answer("keySet.remove", (map, node) -> map.keySet().remove("a") && map.size() == 1),
                answer(
                        "keySet.removeIf",
                        (map, node) -> map.keySet().removeIf("a"::equals) && map.size() == 1),
                answer(
                        "keySet.iterator.remove",
                        (map, node) -> {
                            var keys = map.keySet().iterator();
                            String unused = keys.next();
                            keys.remove();
                            unused = keys.next();
                            keys.remove();
                            return map.isEmpty();
                        }),
                answer(
                        "keySet.retainAll",
                        (map, node) -> map.keySet().retainAll(List.of("b")) && map.size() == 1),
                answer("remove of two", (map, node) -> map.remove("a", node) && map.size() == 1),
                answer("replace of three", (map, node) -> map.replace("a", node, map.get("b"))),
                answer(
                        "values.remove",
                        (map, node) -> map.values().remove(node) && map.size() == 1),
                answer("values.removeIf", (map, node) -> map.values().removeIf(node::equals)),
                answer("values.removeAll", (map, node) -> map.values().removeAll(List.of(node))),
                answer("values.retainAll", (map, node) -> map.values().retainAll(List.of())),
                answer(
                        "entrySet.remove",
                        (map, node) -> map.entrySet().remove(Map.entry("a", node))),
                answer(
                        "entrySet.removeIf",
                        (map, node) -> map.entrySet().removeIf(e -> e.getValue().equals(node))),
                answer(
                        "clear",
                        (map, node) -> {
                            map.clear();
                            return map.isEmpty();
                        }));
    }

    private static List<String> sorted(Collection<String> keys) {
        List<String> sorted = new ArrayList<>(keys);
        Collections.sort(sorted);
        return sorted;
    }

    private static Named<BiPredicate<Map<String, Node>, Node>> answer(
            String name, BiPredicate<Map<String, Node>, Node> answer) {
        return new Named<>(name, answer);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("answers")
    void aMapDoesWithoutTheValue(
            String name,
            Function<Root, Map<String, Node>> of,
            BiPredicate<Map<String, Node>, Node> answer) {
        assertThat(answer.test(of.apply(root), deleted)).isTrue();
    }

    /** A value that is read is an error still. */
    static Stream<Arguments> reads() {
        return maps(
                read("get", map -> map.get("a")),
                read("getOrDefault", map -> map.getOrDefault("a", null)),
                read("values", map -> new ArrayList<>(map.values())),
                read("entrySet", map -> new ArrayList<>(map.entrySet())));
    }

    private static Named<Function<Map<String, Node>, Object>> read(
            String name, Function<Map<String, Node>, Object> read) {
        return new Named<>(name, read);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("reads")
    void aMapRefusesToReadTheValue(
            String name,
            Function<Root, Map<String, Node>> of,
            Function<Map<String, Node>, Object> read) {
        assertThatThrownBy(() -> read.apply(of.apply(root)))
                .isInstanceOf(DeletedObjectException.class);
    }

    // ---- sorted maps ----

    @Test
    void aSortedMapTellsItsKeys() {
        var map = root.sortedMap();
        assertThat(map.firstKey()).isEqualTo("a");
        assertThat(map.headMap("b").lastKey()).isEqualTo("a");
        assertThat(map.lowerKey("b")).isEqualTo("a");
        assertThat(map.floorKey("a")).isEqualTo("a");
        assertThat(map.ceilingKey("a")).isEqualTo("a");
        assertThat(map.higherKey("")).isEqualTo("a");
        assertThat(map.descendingKeySet()).containsExactly("b", "a");
        assertThat(map.headMap("b").size()).isEqualTo(1);
        assertThat(map.headMap("b").isEmpty()).isFalse();
        assertThatThrownBy(map::firstEntry).isInstanceOf(DeletedObjectException.class);
    }

    @Test
    void aSortedMapGivesUpItsEnds() {
        var map = root.sortedMap();
        requireDeleted(map.pollFirstEntry().getValue());
        map.clear();
        map.putAll(Map.of("b", other));
        assertThat(map.pollLastEntry().getValue()).isEqualTo(other);
        assertThat(map.pollLastEntry()).isNull();
    }

    @Test
    void anEndOfAPartOfASortedMapComesOut() {
        requireDeleted(root.sortedMap().descendingMap().pollLastEntry().getValue());
        assertThat(root.sortedMap().firstKey()).isEqualTo("b");
    }

    @Test
    void aPartOfASortedMapIsCleared() {
        root.sortedMap().headMap("b").clear();
        assertThat(root.sortedMap()).containsExactly(Map.entry("b", other));
        assertThat(root.sortedMap().keySet().pollFirst()).isEqualTo("b");
    }

    // ---- sets and keys ----

    @Test
    void keysThatAreObjectsGo() {
        assertThat(root.byNode()).containsKey(deleted);
        assertThat(root.byNode().get(deleted)).isEqualTo(1L);
        assertThatThrownBy(() -> new ArrayList<>(root.byNode().keySet()))
                .isInstanceOf(DeletedObjectException.class);
        assertThat(root.byNode().keySet().removeIf(deleted::equals)).isTrue();
        assertThat(root.byNode()).containsExactly(Map.entry(other, 1L));
    }

    static Stream<Arguments> bulk() {
        return Stream.of(
                change("removeIf", (all, node) -> all.removeIf(node::equals)),
                change("remove", (all, node) -> all.remove(node)),
                change("removeAll", (all, node) -> all.removeAll(List.of(node))),
                change(
                        "removeAll of many",
                        (all, node) -> all.removeAll(List.of(node, node, node, node))),
                change("retainAll", (all, node) -> all.retainAll(others(all, node))));
    }

    /** All that are not the deleted one, got without a look at it. */
    private static List<Node> others(Collection<Node> all, Node node) {
        List<Node> others = new ArrayList<>();
        boolean unused = all.removeIf(one -> !one.equals(node) && !others.add(one));
        return others;
    }

    private static Arguments change(String name, BiConsumer<Collection<Node>, Node> change) {
        return Arguments.of(name, change);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bulk")
    void aCollectionGivesItUp(String name, BiConsumer<Collection<Node>, Node> change) {
        for (Collection<Node> all : List.of(root.set(), root.list(), root.deque())) {
            assertThatThrownBy(() -> new ArrayList<>(all))
                    .isInstanceOf(DeletedObjectException.class);
            change.accept(all, deleted);
            assertThat(all).containsExactly(other);
        }
    }

    // ---- records and arrays that contain it ----

    @Test
    void aRecordThatContainsItComesOut() {
        assertThatThrownBy(() -> root.links().get("a")).isInstanceOf(DeletedObjectException.class);
        requireDeleted(root.links().remove("a").to());
        assertThat(root.links()).isEmpty();
    }

    @Test
    void aRecordThatContainsItIsReplaced() {
        requireDeleted(root.links().put("a", new Link(other, 2)).to());
        assertThat(root.links().get("a").to()).isEqualTo(other);
    }

    @Test
    void anElementThatContainsItGoes() {
        assertThat(root.linkSet().contains(new Link(deleted, 1))).isTrue();
        assertThat(root.linkSet().removeIf(link -> link.to().equals(deleted))).isTrue();
        assertThat(root.linkSet()).isEmpty();
        requireDeleted(root.labelList().remove(0).to());
    }

    @Test
    void anArrayThatContainsItComesOutWithItsKey() {
        var labels = root.labels();
        assertThatThrownBy(labels::firstEntry).isInstanceOf(DeletedObjectException.class);
        assertThat(labels.containsKey(new Label(deleted, "a"))).isTrue();
        var entry = labels.pollFirstEntry();
        requireDeleted(entry.getKey().to());
        assertThat(entry.getValue()[0]).isEqualTo(other);
        requireDeleted(entry.getValue()[1]);
    }

    /** Such keys are everywhere, also where nodes are split and go. */
    @Test
    void aSortedMapWithKeysThatContainItGrowsAndShrinks() {
        var labels = root.labels();
        labels.clear();
        Node[] none = {};
        for (int round = 0; round < 2; round++) {
            Node gone = heap.create(Node.class);
            for (int i = 0; i < 1_000; i++) {
                Label key =
                        new Label(i % 3 == 0 ? other : gone, String.format("%05d", 2 * i + round));
                assertThat(labels.put(key, none)).isNull();
            }
            heap.delete(gone);
        }
        for (int i = 0; i < 1_000; i++) {
            Label live = new Label(other, String.format("%05d", 4_000 + i));
            assertThat(labels.put(live, none)).isNull();
        }
        assertThat(labels).hasSize(3_000);
        assertThat(labels.pollFirstEntry()).isNotNull();
        assertThat(labels.pollLastEntry()).isNotNull();
        assertThat(labels.keySet().removeIf(label -> label.name().endsWith("7"))).isTrue();
        assertThat(labels.keySet().removeIf(label -> !label.to().equals(other))).isTrue();
        assertThat(labels.keySet())
                .allMatch(label -> label.to().equals(other))
                .hasSizeGreaterThan(1_400);
    }

    // ---- lists ----

    @Test
    void aListGivesItUpAtAnIndex() {
        assertThatThrownBy(() -> root.list().get(0)).isInstanceOf(DeletedObjectException.class);
        requireDeleted(root.list().remove(0));
        assertThat(root.list()).containsExactly(other);
    }

    @Test
    void aListReplacesIt() {
        requireDeleted(root.list().set(0, other));
        assertThat(root.list()).containsExactly(other, other);
    }

    @Test
    void aListReplacesAll() {
        root.list().replaceAll(node -> node.equals(deleted) ? other : node);
        assertThat(root.list()).containsExactly(other, other);
    }

    @Test
    void aPartOfAListIsCleared() {
        List<Node> part = root.list().subList(0, 2);
        assertThat(part.removeIf(deleted::equals)).isTrue();
        assertThat(part).containsExactly(other);
        part.subList(0, 1).clear();
        assertThat(part).isEmpty();
        assertThat(root.list()).isEmpty();
    }

    // ---- deques ----

    @Test
    void aDequeGivesUpItsHead() throws InterruptedException {
        assertThatThrownBy(root.deque()::peek).isInstanceOf(DeletedObjectException.class);
        requireDeleted(root.deque().take());
        assertThat(root.deque().poll()).isEqualTo(other);
        assertThat(root.deque().poll()).isNull();
    }

    @Test
    void aDequeGivesUpItsTail() {
        assertThat(root.deque().pollLast()).isEqualTo(other);
        requireDeleted(root.deque().removeLast());
    }

    @Test
    void aDequeIsDrained() {
        List<Node> drained = new ArrayList<>();
        assertThat(root.deque().drainTo(drained)).isEqualTo(2);
        requireDeleted(drained.getFirst());
        assertThat(root.deque()).isEmpty();
    }

    /** The place of the deleted object is as a variable's: nothing in the pool keeps it. */
    @Test
    void whatWasTakenIsNotStoredAgain() {
        Node taken = root.deque().poll();
        assertThatThrownBy(() -> root.deque().add(taken))
                .isInstanceOf(DeletedObjectException.class);
    }
}
