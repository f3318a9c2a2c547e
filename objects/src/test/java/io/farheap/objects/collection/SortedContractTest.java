package io.farheap.objects.collection;

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
import java.util.List;
import java.util.Map.Entry;
import java.util.Set;
import java.util.SortedMap;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sorted maps and sets keep the contracts of {@code java.util}: as Guava's suites see them. */
class SortedContractTest {
    /** Views of maps' views make tens of thousands of tests: each build takes a sample. */
    private static final int OF_MANY = Boolean.getBoolean("test.deep") ? 7 : 29;

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
        return ConcurrentNavigableMapTestSuiteBuilder.using(
                        new TestStringSortedMapGenerator() {
                            @Override
                            protected SortedMap<String, String> create(
                                    Entry<String, String>[] entries) {
                                SortedMap<String, String> map = made.make(type);
                                for (Entry<String, String> entry : entries) {
                                    map.put(entry.getKey(), entry.getValue());
                                }
                                return map;
                            }
                        })
                .named("PersistentSortedMap")
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
        return NavigableSetTestSuiteBuilder.using(
                        new TestStringSetGenerator() {
                            @Override
                            protected Set<String> create(String[] elements) {
                                Set<String> set = made.make(type);
                                set.addAll(Arrays.asList(elements));
                                return set;
                            }

                            @Override
                            public List<String> order(List<String> insertionOrder) {
                                return insertionOrder.stream().sorted().toList();
                            }
                        })
                .named("PersistentSortedSet")
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
