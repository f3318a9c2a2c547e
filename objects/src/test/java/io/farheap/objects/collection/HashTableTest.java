package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.value.LongType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a hash map does beyond the contract: growth, iterators beside it, what it owns. */
class HashTableTest {
    private static final long SEED = 20261124;
    private static final CollectionType<PersistentMap<Long, Long>> LONGS =
            CollectionType.map(LongType.LONG, LongType.LONG);
    private static final CollectionType<PersistentMap<String, String>> TEXTS =
            CollectionType.map(OwnedText.TEXT, OwnedText.TEXT);

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
    void randomChangesAreThoseOfAHashMap() {
        Random random = new Random(SEED);
        long header = heap.create(TEXTS);
        PersistentMap<String, String> map = TEXTS.open(heap.heap, header);
        Map<String, String> model = new HashMap<>();
        for (int step = 0; step < 4000; step++) {
            String key = "k" + random.nextInt(600);
            String value = "v" + step;
            switch (random.nextInt(8)) {
                case 0, 1, 2, 3 -> assertThat(map.put(key, value)).isEqualTo(model.put(key, value));
                case 4 -> assertThat(map.remove(key)).isEqualTo(model.remove(key));
                case 5 ->
                        assertThat(map.merge(key, value, String::concat))
                                .isEqualTo(model.merge(key, value, String::concat));
                case 6 ->
                        assertThat(map.computeIfPresent(key, (same, old) -> null))
                                .isEqualTo(model.computeIfPresent(key, (same, old) -> null));
                default -> assertThat(map.get(key)).isEqualTo(model.get(key));
            }
            assertThat(map.size()).isEqualTo(model.size());
            if (step % 500 == 499) {
                assertThat(map).as("seed %d", SEED).isEqualTo(model);
                heap.assertOwnsAll(TEXTS, header);
            }
        }
        map.clear();
        assertThat(map).isEmpty();
        heap.assertOwnsAll(TEXTS, header);
        heap.delete(TEXTS, header);
        heap.assertEmpty();
    }

    /** A look at its bucket's word and one at the word of the bucket before are of one moment. */
    @Test
    void anEntryIsFoundWhileItsBucketIsSplit() {
        int known = 64;
        int added = 20_000;
        PersistentMap<Long, Long> map = LONGS.open(heap.heap, heap.create(LONGS));
        for (long key = 0; key < known; key++) {
            assertThat(map.putLong(key, key)).isTrue();
        }
        CompletableFuture<Void> growing =
                CompletableFuture.runAsync(
                        () -> {
                            for (long key = known; key < known + added; key++) {
                                assertThat(map.putLong(key, key)).isTrue();
                            }
                        });
        long reads = 0;
        while (!growing.isDone()) {
            long key = reads++ % known;
            assertThat(map.getLong(key, -1)).isEqualTo(key);
        }
        growing.join();
        assertThat(map).hasSize(known + added);
    }

    @Test
    void itGrowsThroughSegmentsAndLosesNothing() {
        long header = heap.create(LONGS);
        PersistentMap<Long, Long> map = LONGS.open(heap.heap, header);
        int entries = 20_000;
        for (int i = 0; i < entries; i++) {
            assertThat(map.putLong(i, -i)).isTrue();
        }
        assertThat(heap.heap.<Integer>read(tx -> HashBuckets.level(tx, header)))
                .isGreaterThan(HashLayout.SEGMENT_BITS + 1);
        for (int i = 0; i < entries; i++) {
            assertThat(map.getLong(i, 1)).isEqualTo(-i);
        }
        assertThat(map).hasSize(entries);
        assertThat(map.keySet().stream().mapToLong(key -> key).sum())
                .isEqualTo((entries - 1L) * entries / 2);
        heap.assertOwnsAll(LONGS, header);
        for (int i = 0; i < entries; i++) {
            assertThat(map.removeLong(i)).isTrue();
        }
        assertThat(map).isEmpty();
        heap.assertOwnsAll(LONGS, header);
    }

    @Test
    void anIteratorReturnsOnceWhatIsThereAllTheTimeWhileTheMapGrowsUnderIt() {
        PersistentMap<Long, Long> map = LONGS.open(heap.heap, heap.create(LONGS));
        for (long i = 0; i < 500; i++) {
            map.putLong(i, i);
        }
        Iterator<Entry<Long, Long>> iterator = map.entrySet().iterator();
        List<Long> old = new ArrayList<>();
        for (long added = 1000; iterator.hasNext(); added += 20) {
            long key = iterator.next().getKey();
            if (key < 1000) {
                old.add(key);
            }
            if (map.size() < 6000) {
                for (long i = 0; i < 20; i++) {
                    map.putLong(added + i, i);
                }
            }
        }
        assertThat(old).hasSize(500).doesNotHaveDuplicates();
    }

    @Test
    void threadsThatCountTogetherLoseNothing() {
        PersistentMap<Long, Long> map = LONGS.open(heap.heap, heap.create(LONGS));
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            threads.add(
                    CompletableFuture.runAsync(
                            () -> {
                                for (long i = 0; i < 500; i++) {
                                    assertThat(map.merge(i % 50, 1L, Long::sum)).isPositive();
                                }
                            }));
        }
        threads.forEach(CompletableFuture::join);
        assertThat(map.values().stream().mapToLong(count -> count).sum()).isEqualTo(2000);
        assertThat(map).hasSize(50);
    }

    @Test
    void anAbortedTransactionLeavesTheMapAsItWas() {
        long header = heap.create(TEXTS);
        PersistentMap<String, String> map = TEXTS.open(heap.heap, header);
        map.put("a", "1");
        assertThatThrownBy(
                        () ->
                                heap.heap.transaction(
                                        tx -> {
                                            for (int i = 0; i < 100; i++) {
                                                assertThat(map.put("b" + i, "2")).isNull();
                                            }
                                            assertThat(map.remove("a")).isEqualTo("1");
                                            throw new IllegalStateException("on purpose");
                                        }))
                .hasMessage("on purpose");
        assertThat(map).isEqualTo(Map.of("a", "1"));
        heap.assertOwnsAll(TEXTS, header);
    }

    @Test
    void longsAreForMapsOfLongs() {
        PersistentMap<String, String> map = TEXTS.open(heap.heap, heap.create(TEXTS));
        assertThatThrownBy(() -> map.getLong(1, 0))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("are no long");
    }
}
