package io.farheap.objects.collection;

import com.google.common.collect.testing.ListTestSuiteBuilder;
import com.google.common.collect.testing.QueueTestSuiteBuilder;
import com.google.common.collect.testing.TestStringListGenerator;
import com.google.common.collect.testing.TestStringQueueGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.ListFeature;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lists and deques keep the contracts of {@code java.util}: as Guava's suites see them. */
class SequenceContractTest {
    private static final int OF_LISTS = Boolean.getBoolean("test.deep") ? ContractTests.ALL : 4;

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

    private static TestSuite list() {
        CollectionType<PersistentList<String>> type = CollectionType.list(OwnedText.TEXT);
        return ListTestSuiteBuilder.using(
                        new TestStringListGenerator() {
                            @Override
                            protected List<String> create(String[] elements) {
                                List<String> list = made.make(type);
                                list.addAll(Arrays.asList(elements));
                                return list;
                            }
                        })
                .named("PersistentList")
                .withFeatures(ListFeature.GENERAL_PURPOSE, CollectionSize.ANY)
                .createTestSuite();
    }

    private static TestSuite deque() {
        CollectionType<PersistentDeque<String>> type = CollectionType.deque(OwnedText.TEXT);
        return QueueTestSuiteBuilder.using(
                        new TestStringQueueGenerator() {
                            @Override
                            protected Queue<String> create(String[] elements) {
                                Queue<String> deque = made.make(type);
                                deque.addAll(Arrays.asList(elements));
                                return deque;
                            }
                        })
                .named("PersistentDeque")
                .withFeatures(
                        CollectionFeature.GENERAL_PURPOSE,
                        CollectionFeature.KNOWN_ORDER,
                        CollectionSize.ANY)
                .createTestSuite();
    }

    @Test
    @Tag("sliced")
    void aListOutsideOfTransactions() {
        ContractTests.run(list(), made::outside, OF_LISTS);
    }

    @Test
    @Tag("sliced")
    void aListWithinATransaction() {
        ContractTests.run(list(), made::within, OF_LISTS);
    }

    @Test
    void aDequeOutsideOfTransactions() {
        ContractTests.run(deque(), made::outside, ContractTests.ALL);
    }

    @Test
    void aDequeWithinATransaction() {
        ContractTests.run(deque(), made::within, ContractTests.ALL);
    }
}
