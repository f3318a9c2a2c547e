package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.testing.ConcurrentNavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.NavigableSetTestSuiteBuilder;
import com.google.common.collect.testing.TestStringSetGenerator;
import com.google.common.collect.testing.TestStringSortedMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map.Entry;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sorted maps and sets keep the contracts of {@code java.util}: as Guava's suites see them. */
class SortedContractTest {
    /** Views of maps' views make tens of thousands of tests: each build takes a sample. */
    private static final int OF_MANY = Boolean.getBoolean("test.deep") ? 7 : 29;

    private static final int OF_SETS = Boolean.getBoolean("test.deep") ? ContractTests.ALL : 4;

    /** So many entries have room in a node of {@link #SMALL_NODES}. */
    private static final int NODE = 4;

    private static final long SMALL_NODES = 1;

    /** In keys that are there for a while only. */
    private static final String BETWEEN = "\u0007";

    private static final CollectionType<PersistentSortedMap<String, String>> SMALL_MAPS =
            CollectionType.sortedMap(OwnedText.TEXT, OwnedText.TEXT, null, SMALL_NODES);
    private static final CollectionType<PersistentSortedSet<String>> SMALL_SETS =
            CollectionType.sortedSet(OwnedText.TEXT, null, SMALL_NODES);

    private static OpenHeap heap;
    private static MadeCollections made;

    @BeforeAll
    static void create() {
        heap = OpenHeap.create(16 << 20);
        made = new MadeCollections(heap);
    }

    @AfterAll
    static void close() {
        heap.close();
    }

    private static TestSuite map() {
        CollectionType<PersistentSortedMap<String, String>> type =
                CollectionType.sortedMap(OwnedText.TEXT, OwnedText.TEXT, null);
        return map("PersistentSortedMap", () -> made.make(type), map -> {});
    }

    private static TestSuite mapOfSmallNodes() {
        return map(
                "PersistentSortedMap of small nodes",
                () -> made.make(SMALL_MAPS),
                map -> spread(map.keySet(), key -> map.put(key, key)));
    }

    /** Has each key alone in its node. */
    private static void spread(Collection<String> keys, Consumer<String> put) {
        for (String key : List.copyOf(keys)) {
            for (int i = 0; i < NODE; i++) {
                put.accept(key + BETWEEN + i);
            }
        }
        boolean unused = keys.removeIf(key -> key.contains(BETWEEN));
    }

    private static TestSuite map(
            String name,
            Supplier<SortedMap<String, String>> make,
            Consumer<SortedMap<String, String>> spread) {
        return ConcurrentNavigableMapTestSuiteBuilder.using(
                        new TestStringSortedMapGenerator() {
                            @Override
                            protected SortedMap<String, String> create(
                                    Entry<String, String>[] entries) {
                                SortedMap<String, String> map = make.get();
                                for (Entry<String, String> entry : entries) {
                                    map.put(entry.getKey(), entry.getValue());
                                }
                                spread.accept(map);
                                return map;
                            }
                        })
                .named(name)
                .withFeatures(
                        MapFeature.GENERAL_PURPOSE,
                        CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                        CollectionFeature.KNOWN_ORDER,
                        CollectionSize.ANY)
                .createTestSuite();
    }

    private static TestSuite set() {
        CollectionType<PersistentSortedSet<String>> type =
                CollectionType.sortedSet(OwnedText.TEXT, null);
        return set("PersistentSortedSet", () -> made.make(type), set -> {});
    }

    private static TestSuite setOfSmallNodes() {
        return set(
                "PersistentSortedSet of small nodes",
                () -> made.make(SMALL_SETS),
                set -> spread(set, set::add));
    }

    private static TestSuite set(
            String name, Supplier<Set<String>> make, Consumer<Set<String>> spread) {
        return NavigableSetTestSuiteBuilder.using(
                        new TestStringSetGenerator() {
                            @Override
                            protected Set<String> create(String[] elements) {
                                Set<String> set = make.get();
                                set.addAll(Arrays.asList(elements));
                                spread.accept(set);
                                return set;
                            }

                            @Override
                            public List<String> order(List<String> insertionOrder) {
                                return insertionOrder.stream().sorted().toList();
                            }
                        })
                .named(name)
                .withFeatures(
                        CollectionFeature.GENERAL_PURPOSE,
                        CollectionFeature.KNOWN_ORDER,
                        CollectionSize.ANY)
                .createTestSuite();
    }

    @Test
    @Tag("sliced")
    void aMapOutsideOfTransactions() {
        ContractTests.run(map(), made::outside, OF_MANY);
    }

    @Test
    @Tag("sliced")
    void aMapWithinATransaction() {
        ContractTests.run(map(), made::within, OF_MANY);
    }

    @Test
    @Tag("sliced")
    void aMapOfSmallNodesOutsideOfTransactions() {
        ContractTests.run(mapOfSmallNodes(), made::outside, OF_MANY);
    }

    @Test
    @Tag("sliced")
    void aMapOfSmallNodesWithinATransaction() {
        ContractTests.run(mapOfSmallNodes(), made::within, OF_MANY);
    }

    @Test
    @Tag("sliced")
    void aSetOfSmallNodesOutsideOfTransactions() {
        ContractTests.run(setOfSmallNodes(), made::outside, OF_SETS);
    }

    @Test
    @Tag("sliced")
    void aSetOfSmallNodesWithinATransaction() {
        ContractTests.run(setOfSmallNodes(), made::within, OF_SETS);
    }

    /** With the header, an inner node, the cells, its key, and three texts. */
    @Test
    void whatIsSpreadHasALeafForEachElement() {
        made.outside(
                () -> {
                    Set<String> set = made.make(SMALL_SETS);
                    set.addAll(List.of("a", "b", "c"));
                    spread(set, set::add);
                    assertThat(set).containsExactly("a", "b", "c");
                    assertThat(heap.objects()).isGreaterThanOrEqualTo(1 + 1 + 1 + 3 + 3);
                });
    }

    @Tag("deep")
    @Test
    void aMapOutsideOfTransactionsInAllTests() {
        ContractTests.run(map(), made::outside, ContractTests.ALL);
    }

    @Tag("deep")
    @Test
    void aMapWithinATransactionInAllTests() {
        ContractTests.run(map(), made::within, ContractTests.ALL);
    }

    @Test
    void aSetOutsideOfTransactions() {
        ContractTests.run(set(), made::outside, ContractTests.ALL);
    }

    @Test
    void aSetWithinATransaction() {
        ContractTests.run(set(), made::within, ContractTests.ALL);
    }
}
