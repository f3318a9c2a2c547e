package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.value.LongType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a sorted map does beyond the contract: splits, empty nodes, orders, what it owns. */
class SortedTreeTest {
    private static final long SEED = 20261124;

    /** Of nodes of 4 entries: trees of some height from some dozens of entries. */
    private static final CollectionType<PersistentSortedMap<String, String>> SMALL_NODES =
            CollectionType.sortedMap(OwnedText.TEXT, OwnedText.TEXT, null, 1);

    private static final CollectionType<PersistentSortedMap<Long, Long>> LONGS =
            CollectionType.sortedMap(LongType.LONG, LongType.LONG, null);

    private OpenHeap heap;

    @BeforeEach
    void create() {
        heap = OpenHeap.create(64 << 20);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    @Test
    void randomChangesAreThoseOfATreeMap() {
        Random random = new Random(SEED);
        long header = heap.create(SMALL_NODES);
        PersistentSortedMap<String, String> map = SMALL_NODES.open(heap.heap, header);
        TreeMap<String, String> model = new TreeMap<>();
        for (int step = 0; step < 6000; step++) {
            // Grows and shrinks in turns, down to nothing.
            int most = step / 500 % 2 == 0 ? 6 : 2;
            String key = String.valueOf(1000 + random.nextInt(300));
            String value = "v" + step;
            if (random.nextInt(8) < most) {
                assertThat(map.put(key, value)).isEqualTo(model.put(key, value));
            } else if (random.nextBoolean()) {
                assertThat(map.remove(key)).isEqualTo(model.remove(key));
            } else {
                assertThat(map.pollFirstEntry()).isEqualTo(model.pollFirstEntry());
            }
            assertThat(map.size()).isEqualTo(model.size());
            assertThat(map.floorEntry(key)).isEqualTo(model.floorEntry(key));
            assertThat(map.higherKey(key)).isEqualTo(model.higherKey(key));
            assertThat(map.lastEntry()).isEqualTo(model.lastEntry());
            if (step % 250 == 249) {
                assertThat(new ArrayList<>(map.entrySet()))
                        .as("seed %d", SEED)
                        .isEqualTo(new ArrayList<>(model.entrySet()));
                assertThat(new ArrayList<>(map.descendingMap().keySet()))
                        .isEqualTo(new ArrayList<>(model.descendingMap().keySet()));
                heap.assertOwnsAll(SMALL_NODES, header);
            }
        }
        while (map.pollLastEntry() != null) {
            assertThat(model.pollLastEntry()).isNotNull();
        }
        assertThat(map).isEmpty();
        heap.assertOwnsAll(SMALL_NODES, header);
        heap.delete(SMALL_NODES, header);
        heap.assertEmpty();
    }

    @Test
    void keysThatComeInOrderFillTheNodes() {
        long header = heap.create(LONGS);
        PersistentSortedMap<Long, Long> map = LONGS.open(heap.heap, header);
        int entries = 20_000;
        for (int i = 0; i < entries; i++) {
            assertThat(map.putLong(i, -i)).isTrue();
        }
        for (int i = 0; i < entries; i++) {
            assertThat(map.getLong(i, 1)).isEqualTo(-i);
        }
        assertThat(map).hasSize(entries);
        assertThat(map.headMap(100L)).hasSize(100);
        heap.assertOwnsAll(LONGS, header);
        assertThat(heap.objects()).isLessThan(entries / 50);
        for (int i = entries - 1; i >= 0; i--) {
            assertThat(map.removeLong(i)).isTrue();
        }
        heap.delete(LONGS, header);
        heap.assertEmpty();
    }

    @Test
    void anIteratorReturnsOnceWhatIsThereAllTheTimeWhileNodesSplit() {
        PersistentSortedMap<Long, Long> map = LONGS.open(heap.heap, heap.create(LONGS));
        for (long i = 0; i < 1000; i++) {
            map.putLong(i * 10, i);
        }
        List<Long> old = new ArrayList<>();
        for (long key : map.keySet()) {
            if (key % 10 == 0) {
                old.add(key);
                for (int i = 1; i < 4; i++) {
                    map.putLong(10_000 - key + i, i);
                    map.putLong(key + i + 500, i);
                }
            }
        }
        assertThat(old).hasSize(1000).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void aComparatorIsAskedForAgain() {
        CollectionType<PersistentSortedMap<Long, Long>> reversed =
                CollectionType.sortedMap(LongType.LONG, LongType.LONG, Collections.reverseOrder());
        long header = heap.create(reversed);
        NavigableMap<Long, Long> map = reversed.open(heap.heap, header);
        map.putAll(Map.of(1L, 10L, 2L, 20L, 3L, 30L));
        assertThat(map.keySet()).containsExactly(3L, 2L, 1L);
        heap.assertOwnsAll(reversed, header);
        assertThatThrownBy(() -> LONGS.open(heap.heap, header))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("ReverseComparator")
                .hasMessageContaining("the natural order");
        heap.delete(reversed, header);
        heap.assertEmpty();
    }

    @Test
    void aLambdaIsNoOrderThatAPoolCouldName() {
        assertThatThrownBy(
                        () ->
                                CollectionType.sortedMap(
                                        LongType.LONG,
                                        LongType.LONG,
                                        (one, other) -> Long.compare(other, one)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("make it a class");
    }
}
