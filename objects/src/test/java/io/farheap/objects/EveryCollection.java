package io.farheap.objects;

import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentBlob;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.LongStream;

/** A heap with collections of every kind, and what a program calls of each, by "kind.call". */
final class EveryCollection {
    private static final int ENTRIES = 80;

    private EveryCollection() {}

    @Persistent
    interface Root {
        Thing thing();

        void thing(Thing value);
    }

    @Persistent
    interface Thing {
        PersistentMap<String, String> map();

        PersistentMap<Long, Long> longs();

        PersistentSet<String> set();

        PersistentSortedMap<String, Long> sorted();

        PersistentSortedMap<Long, Long> sortedLongs();

        PersistentSortedSet<String> sortedSet();

        PersistentList<String> list();

        PersistentDeque<String> deque();

        PersistentCounter counter();

        PersistentBlob blob();
    }

    /** Fills all of them. */
    static void fill(Thing thing) {
        fills().values().forEach(fill -> fill.accept(thing));
    }

    /** By kind, what gives each some leaves, buckets or chunks. */
    static Map<String, Consumer<Thing>> fills() {
        Map<String, Consumer<Thing>> fills = new LinkedHashMap<>();
        fills.put("map", thing -> eachText((i, text) -> thing.map().put(text, "value " + i)));
        fills.put("longs", thing -> eachText((i, text) -> thing.longs().putLong(i, -i)));
        fills.put("set", thing -> eachText((i, text) -> thing.set().add(text)));
        fills.put("sorted", thing -> eachText((i, text) -> thing.sorted().put(text, i)));
        fills.put(
                "sortedLongs", thing -> eachText((i, text) -> thing.sortedLongs().putLong(i, -i)));
        fills.put("sortedSet", thing -> eachText((i, text) -> thing.sortedSet().add(text)));
        fills.put("list", thing -> eachText((i, text) -> thing.list().add(text)));
        fills.put("deque", thing -> eachText((i, text) -> thing.deque().add(text)));
        fills.put("counter", thing -> eachText((i, text) -> thing.counter().add(i)));
        fills.put("blob", thing -> append(thing.blob(), 3000));
        return fills;
    }

    private static void eachText(BiConsumer<Long, String> action) {
        for (long i = 0; i < ENTRIES; i++) {
            action.accept(i, "text " + (1000 + i) + (i % 3 == 0 ? " of many more bytes" : ""));
        }
    }

    private static void append(PersistentBlob blob, int bytes) {
        try {
            blob.newOutputStream().write(new byte[bytes]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] readAll(PersistentBlob blob) {
        try {
            return blob.newInputStream().readAllBytes();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    // ---- calls ----

    static Map<String, Function<Thing, Object>> reads() {
        Map<String, Function<Thing, Object>> reads = new LinkedHashMap<>();
        reads.put(
                "map.get",
                thing -> LongStream.range(0, 99).mapToObj(i -> thing.map().get("t" + i)).toList());
        reads.put("map.copy", thing -> new HashMap<>(thing.map()));
        reads.put("map.hashCode", thing -> thing.map().hashCode());
        reads.put("map.toString", thing -> thing.map().toString());
        reads.put("map.size", thing -> thing.map().size());
        reads.put("map.values", thing -> thing.map().values().toArray());
        reads.put("map.containsValue", thing -> thing.map().containsValue("x"));
        reads.put(
                "longs.getLong",
                thing ->
                        LongStream.range(0, 100)
                                .mapToObj(i -> thing.longs().getLong(i, 0))
                                .toList());
        reads.put("longs.keys", thing -> thing.longs().keySet().toArray());
        reads.put("set.contains", thing -> thing.set().contains("text 1000 of many more bytes"));
        reads.put("set.array", thing -> thing.set().toArray());
        reads.put("sorted.get", thing -> thing.sorted().get("text 1042"));
        reads.put("sorted.floor", thing -> thing.sorted().floorEntry("text 1042x"));
        reads.put("sorted.higher", thing -> thing.sorted().higherKey("text 1042x"));
        reads.put(
                "sorted.ends",
                thing -> Arrays.asList(thing.sorted().firstEntry(), thing.sorted().lastEntry()));
        reads.put("sorted.copy", thing -> new TreeMap<>(thing.sorted()));
        reads.put("sorted.down", thing -> new ArrayList<>(thing.sorted().descendingMap().keySet()));
        reads.put("sorted.part", thing -> thing.sorted().subMap("text 1010", "text 1070").size());
        reads.put("sorted.size", thing -> thing.sorted().size());
        reads.put(
                "sortedLongs.getLong",
                thing ->
                        LongStream.range(0, 100)
                                .mapToObj(i -> thing.sortedLongs().getLong(i, 0))
                                .toList());
        reads.put("sortedLongs.copy", thing -> new ArrayList<>(thing.sortedLongs().entrySet()));
        reads.put("sortedSet.copy", thing -> new ArrayList<>(thing.sortedSet()));
        reads.put(
                "sortedSet.ends",
                thing -> List.of(thing.sortedSet().first(), thing.sortedSet().last()));
        reads.put("list.array", thing -> thing.list().toArray());
        reads.put("list.indexOf", thing -> thing.list().indexOf("nowhere"));
        reads.put("list.hashCode", thing -> thing.list().hashCode());
        reads.put(
                "list.get",
                thing -> {
                    int size = Math.min(1_000, thing.list().size());
                    for (int i = 0; i < size; i++) {
                        Object unused = thing.list().get(i);
                    }
                    return null;
                });
        reads.put("deque.array", thing -> thing.deque().toArray());
        reads.put(
                "deque.ends", thing -> List.of(thing.deque().getFirst(), thing.deque().getLast()));
        reads.put("deque.down", thing -> thing.deque().descendingIterator().next());
        reads.put("deque.size", thing -> thing.deque().size());
        reads.put("counter.get", thing -> thing.counter().get());
        reads.put("blob.read", thing -> readAll(thing.blob()));
        return reads;
    }

    /** Each is a part of a transaction. */
    static Map<String, Consumer<Thing>> changes() {
        Map<String, Consumer<Thing>> changes = new LinkedHashMap<>();
        changes.put(
                "map.put",
                thing -> LongStream.range(0, 99).forEach(i -> thing.map().put("n" + i, "x")));
        changes.put("map.remove", thing -> thing.map().remove("text 1042"));
        changes.put("map.removeIf", thing -> thing.map().values().removeIf(v -> v.endsWith("7")));
        changes.put("map.clear", thing -> thing.map().clear());
        changes.put(
                "longs.putLong",
                thing -> LongStream.range(0, 100).forEach(i -> thing.longs().putLong(i, i)));
        changes.put(
                "longs.removeLong",
                thing -> LongStream.range(0, 100).forEach(i -> thing.longs().removeLong(i)));
        changes.put("longs.clear", thing -> thing.longs().clear());
        changes.put("set.add", thing -> thing.set().add("another"));
        changes.put("set.remove", thing -> thing.set().remove("text 1042"));
        changes.put("set.clear", thing -> thing.set().clear());
        changes.put(
                "sorted.put",
                thing ->
                        LongStream.range(0, 99).forEach(i -> thing.sorted().put("text 10" + i, i)));
        changes.put(
                "sorted.poll",
                thing -> {
                    while (thing.sorted().pollFirstEntry() != null) {
                        continue;
                    }
                });
        changes.put("sorted.headMap", thing -> thing.sorted().headMap("text 1070").clear());
        changes.put("sorted.clear", thing -> thing.sorted().clear());
        changes.put(
                "sortedLongs.putLong",
                thing -> LongStream.range(50, 150).forEach(i -> thing.sortedLongs().putLong(i, i)));
        changes.put(
                "sortedLongs.removeLong",
                thing -> LongStream.range(0, 100).forEach(i -> thing.sortedLongs().removeLong(i)));
        changes.put("sortedSet.add", thing -> thing.sortedSet().add("another"));
        changes.put("sortedSet.clear", thing -> thing.sortedSet().clear());
        changes.put(
                "list.add",
                thing -> LongStream.range(0, 99).forEach(i -> thing.list().add("n" + i)));
        changes.put("list.addFirst", thing -> thing.list().add(0, "new"));
        changes.put(
                "list.remove",
                thing -> {
                    while (!thing.list().isEmpty()) {
                        Object unused = thing.list().remove(thing.list().size() / 2);
                    }
                });
        changes.put("list.removeIf", thing -> thing.list().removeIf(e -> e.endsWith("7")));
        changes.put("list.sort", thing -> thing.list().sort(Comparator.reverseOrder()));
        changes.put("list.clear", thing -> thing.list().clear());
        changes.put(
                "deque.add",
                thing -> LongStream.range(0, 99).forEach(i -> thing.deque().addFirst("n" + i)));
        changes.put(
                "deque.poll",
                thing -> {
                    while (thing.deque().pollFirst() != null) {
                        continue;
                    }
                });
        changes.put("deque.drain", thing -> thing.deque().drainTo(new ArrayList<>()));
        changes.put("deque.pollLast", thing -> thing.deque().pollLast());
        changes.put("deque.remove", thing -> thing.deque().removeLastOccurrence("text 1042"));
        changes.put("deque.clear", thing -> thing.deque().clear());
        changes.put("counter.add", thing -> thing.counter().add(5));
        changes.put("blob.append", thing -> append(thing.blob(), 5000));
        changes.put("blob.setSize", thing -> thing.blob().setSize(2 << 20));
        changes.put("blob.clear", thing -> thing.blob().setSize(0));
        return changes;
    }
}
