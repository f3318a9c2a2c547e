package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.objects.schema.PersistentBlob;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.testing.PowerLoss;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whenever the power is lost, a collection has what it had before the change or after it, and all
 * that is allocated belongs to it, and all that belongs to it is allocated. Each change here makes
 * or takes away parts of the structure.
 */
@Tag("sliced")
class CollectionPowerLossTest {
    private static final boolean DEEP = Boolean.getBoolean("test.deep");

    /** Of the states that a power loss leaves one in so many is read. */
    private static final int STRIDE = DEEP ? 1 : 8;

    private static final long SMALL_NODES = 1;
    private static final CollectionType<PersistentMap<String, String>> MAPS =
            CollectionType.map(OwnedText.TEXT, OwnedText.TEXT);
    private static final CollectionType<PersistentSortedMap<String, String>> SORTED_MAPS =
            CollectionType.sortedMap(OwnedText.TEXT, OwnedText.TEXT, null, SMALL_NODES);
    private static final CollectionType<PersistentList<String>> LISTS =
            CollectionType.list(OwnedText.TEXT, SMALL_NODES);
    private static final CollectionType<PersistentDeque<String>> DEQUES =
            CollectionType.deque(OwnedText.TEXT, SMALL_NODES);

    private static <C, S> void lose(
            CollectionType<C> type, Consumer<C> before, Consumer<C> change, Function<C, S> content)
            throws Exception {
        List<S> wanted = new ArrayList<>();
        try (OpenHeap heap = OpenHeap.create(16 << 20)) {
            C collection = type.open(heap.heap, heap.create(type));
            before.accept(collection);
            wanted.add(content.apply(collection));
            change.accept(collection);
            wanted.add(content.apply(collection));
        }
        assertThat(wanted.get(0)).isNotEqualTo(wanted.get(1));
        long[] header = new long[1];
        int[] recovered = new int[1];
        PowerLoss.Tried tried =
                PowerLoss.during(pool -> change.accept(open(pool, type, header[0])))
                        .startingWith(
                                pool -> {
                                    header[0] =
                                            new HeapTransactions(pool).transaction(type::create);
                                    before.accept(open(pool, type, header[0]));
                                })
                        .effort(DEEP ? 2 : 1, DEEP ? 1 : 0)
                        .onceReturned(
                                pool ->
                                        assertThat(content.apply(open(pool, type, header[0])))
                                                .isEqualTo(wanted.get(1)))
                        .check(
                                pool -> {
                                    if (recovered[0]++ % STRIDE != 0) {
                                        return;
                                    }
                                    HeapTransactions heap = new HeapTransactions(pool);
                                    assertThat(content.apply(type.open(heap, header[0])))
                                            .isIn(wanted);
                                    OpenHeap.assertOwnsAll(pool, heap, type, header[0]);
                                });
        assertThat(tried.states()).isGreaterThan(2); // of a counter that changes one word, 5
    }

    private static <C> C open(ObjectPool pool, CollectionType<C> type, long header) {
        return type.open(new HeapTransactions(pool), header);
    }

    private static void fill(Map<String, String> map, int entries) {
        IntStream.range(0, entries).forEach(i -> map.put("k" + (100 + i), "v" + i));
    }

    private static void fill(List<String> list, int elements) {
        IntStream.range(0, elements).forEach(i -> list.add("e" + i));
    }

    private static void fill(PersistentDeque<String> deque, int elements) {
        IntStream.range(0, elements).forEach(i -> deque.add("e" + i));
    }

    @Test
    void aMapInsertsAndReplaces() throws Exception {
        lose(MAPS, map -> fill(map, 3), map -> map.put("new", "x"), HashMap::new);
        lose(MAPS, map -> fill(map, 3), map -> map.put("k101", "x"), HashMap::new);
    }

    @Test
    void aMapRemovesAndClears() throws Exception {
        lose(MAPS, map -> fill(map, 20), map -> map.remove("k101"), HashMap::new);
        lose(MAPS, map -> fill(map, 40), Map::clear, HashMap::new);
    }

    /** All in one transaction: doublings, new arrays, cells, and buckets that split. */
    @Test
    void aMapGrows() throws Exception {
        loseGrowth(70);
    }

    /** As above, until most of the buckets have split. */
    @Test
    @Tag("deep")
    void aMapGrowsFar() throws Exception {
        loseGrowth(160);
    }

    private static void loseGrowth(int entries) throws Exception {
        Map<String, String> more = new HashMap<>();
        fill(more, entries);
        lose(MAPS, map -> fill(map, 30), map -> map.putAll(more), HashMap::new);
    }

    @Test
    void aSortedMapSplitsALeafAndTheRoot() throws Exception {
        lose(SORTED_MAPS, map -> fill(map, 4), map -> map.put("k1015", "x"), TreeMap::new);
        lose(SORTED_MAPS, map -> fill(map, 16), map -> map.put("k116", "x"), TreeMap::new);
    }

    @Test
    void aSortedMapLosesALeafAndALevel() throws Exception {
        lose(SORTED_MAPS, map -> fill(map, 5), map -> map.remove("k104"), TreeMap::new);
        lose(SORTED_MAPS, map -> fill(map, 17), map -> map.headMap("k116").clear(), TreeMap::new);
    }

    @Test
    void aListSplitsInItsMiddleAndShrinks() throws Exception {
        lose(LISTS, list -> fill(list, 4), list -> list.add(2, "x"), ArrayList::new);
        lose(LISTS, list -> fill(list, 16), list -> list.add(7, "x"), ArrayList::new);
        lose(LISTS, list -> fill(list, 5), list -> list.remove(4), ArrayList::new);
    }

    @Test
    void aDequeAddsAndLosesAChunkAtEachEnd() throws Exception {
        lose(DEQUES, deque -> fill(deque, 4), deque -> deque.addFirst("x"), ArrayList::new);
        lose(DEQUES, deque -> fill(deque, 4), deque -> deque.addLast("x"), ArrayList::new);
        lose(DEQUES, deque -> fill(deque, 5), PersistentDeque::pollLast, ArrayList::new);
        lose(DEQUES, deque -> fill(deque, 12), deque -> deque.remove("e5"), ArrayList::new);
    }

    @Test
    void aBlobGrowsAndShrinks() throws Exception {
        Function<PersistentBlob, String> content =
                blob -> {
                    byte[] bytes = new byte[(int) blob.size()];
                    int read = readAll(blob, bytes);
                    return read + new String(bytes, StandardCharsets.UTF_8);
                };
        CollectionType<PersistentBlob> blobs = CollectionType.blob();
        lose(blobs, blob -> write(blob, 60), blob -> write(blob, 60), content);
        lose(blobs, blob -> write(blob, 60), blob -> blob.setSize(0), content);
    }

    private static int readAll(PersistentBlob blob, byte[] bytes) {
        try {
            return blob.newInputStream().read(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void write(PersistentBlob blob, int length) {
        try {
            blob.newOutputStream().write("x".repeat(length).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aCounterAdds() throws Exception {
        lose(
                CollectionType.counter(),
                counter -> counter.add(5),
                counter -> counter.add(7),
                PersistentCounter::get);
    }
}
