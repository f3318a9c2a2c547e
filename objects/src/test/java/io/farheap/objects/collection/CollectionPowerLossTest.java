package io.farheap.objects.collection;

import io.farheap.objects.schema.PersistentBlob;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
    private static final int EXTENT = 1 << 20;

    private static final long SMALL_NODES = 1;
    private static final CollectionType<PersistentMap<String, String>> MAPS =
            CollectionType.map(OwnedText.TEXT, OwnedText.TEXT);
    private static final CollectionType<PersistentSortedMap<String, String>> SORTED_MAPS =
            CollectionType.sortedMap(OwnedText.TEXT, OwnedText.TEXT, null, SMALL_NODES);
    private static final CollectionType<PersistentList<String>> LISTS =
            CollectionType.list(OwnedText.TEXT, SMALL_NODES);
    private static final CollectionType<PersistentDeque<String>> DEQUES =
            CollectionType.deque(OwnedText.TEXT, SMALL_NODES);
    private static final CollectionType<PersistentSet<String>> SETS =
            CollectionType.set(OwnedText.TEXT);
    private static final CollectionType<PersistentSortedSet<String>> SORTED_SETS =
            CollectionType.sortedSet(OwnedText.TEXT, null, SMALL_NODES);
    private static final CollectionType<PersistentBlob> BLOBS = CollectionType.blob();

    /** How a power loss is tried. */
    CollectionLoss loss = new CollectionLoss(DEEP ? 2 : 1, DEEP ? 1 : 0, DEEP ? 1 : 8, 1);

    private <C, S> void lose(
            CollectionType<C> type, Consumer<C> before, Consumer<C> change, Function<C, S> content)
            throws Exception {
        loss.during(type, before, change, content);
    }

    private static void fill(Map<String, String> map, int entries) {
        IntStream.range(0, entries).forEach(i -> map.put("k" + (100 + i), "v" + i));
    }

    private static void fill(Collection<String> collection, int elements) {
        IntStream.range(0, elements).forEach(i -> collection.add("e" + i));
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

    private void loseGrowth(int entries) throws Exception {
        Map<String, String> more = new HashMap<>();
        fill(more, entries);
        lose(MAPS, map -> fill(map, 30), map -> map.putAll(more), HashMap::new);
    }

    @Test
    void aSetAddsRemovesAndClears() throws Exception {
        lose(SETS, set -> fill(set, 3), set -> set.add("new"), HashSet::new);
        lose(SETS, set -> fill(set, 20), set -> set.remove("e1"), HashSet::new);
        lose(SETS, set -> fill(set, 40), Set::clear, HashSet::new);
    }

    @Test
    void aSortedSetSplitsAndLosesALeaf() throws Exception {
        lose(SORTED_SETS, set -> fill(set, 4), set -> set.add("e15"), TreeSet::new);
        lose(SORTED_SETS, set -> fill(set, 5), set -> set.remove("e4"), TreeSet::new);
        lose(SORTED_SETS, set -> fill(set, 17), set -> set.headSet("e16").clear(), TreeSet::new);
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
        lose(
                BLOBS,
                blob -> write(blob, 60),
                blob -> write(blob, 60),
                CollectionPowerLossTest::text);
        lose(
                BLOBS,
                blob -> write(blob, 60),
                blob -> blob.setSize(0),
                CollectionPowerLossTest::text);
    }

    @Test
    void aBlobGetsAndLosesASecondExtent() throws Exception {
        lose(
                BLOBS,
                blob -> write(blob, EXTENT - 10),
                blob -> write(blob, 60),
                CollectionPowerLossTest::text);
        lose(
                BLOBS,
                blob -> write(blob, EXTENT + 10),
                blob -> blob.setSize(100),
                CollectionPowerLossTest::text);
    }

    private static String text(PersistentBlob blob) {
        byte[] bytes = new byte[(int) blob.size()];
        int read = readAll(blob, bytes);
        return read + new String(bytes, StandardCharsets.UTF_8);
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
