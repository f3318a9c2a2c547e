package io.farheap.objects.collection;

import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.SetTestSuiteBuilder;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.TestStringSetGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import java.util.Arrays;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Set;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Maps and sets by hash keep the contracts of {@code java.util}: as Guava's suites see them. */
class HashedContractTest {
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
        CollectionType<PersistentMap<String, String>> type =
                CollectionType.map(OwnedText.TEXT, OwnedText.TEXT);
        return ConcurrentMapTestSuiteBuilder.using(
                        new TestStringMapGenerator() {
                            @Override
                            protected Map<String, String> create(Entry<String, String>[] entries) {
                                Map<String, String> map = made.make(type);
                                for (Entry<String, String> entry : entries) {
                                    map.put(entry.getKey(), entry.getValue());
                                }
                                return map;
                            }
                        })
                .named("PersistentMap")
                .withFeatures(
                        MapFeature.GENERAL_PURPOSE,
                        CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                        CollectionSize.ANY)
                .createTestSuite();
    }

    private static TestSuite set() {
        CollectionType<PersistentSet<String>> type = CollectionType.set(OwnedText.TEXT);
        return SetTestSuiteBuilder.using(
                        new TestStringSetGenerator() {
                            @Override
                            protected Set<String> create(String[] elements) {
                                Set<String> set = made.make(type);
                                set.addAll(Arrays.asList(elements));
                                return set;
                            }
                        })
                .named("PersistentSet")
                .withFeatures(CollectionFeature.GENERAL_PURPOSE, CollectionSize.ANY)
                .createTestSuite();
    }

    @Test
    void aMapOutsideOfTransactions() {
        ContractTests.run(map(), made::outside, ContractTests.ALL);
    }

    @Test
    void aMapWithinATransaction() {
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
