package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.function.Function;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lists and deques keep the contracts of {@code java.util}: as Guava's suites see them. */
class SequenceContractTest {
    private static final int OF_LISTS = Boolean.getBoolean("test.deep") ? ContractTests.ALL : 4;

    /** So many entries have room in a node of {@link #SMALL_NODES}. */
    private static final int NODE = 4;

    private static final long SMALL_NODES = 1;
    private static final String BETWEEN = "between";
    private static final CollectionType<PersistentList<String>> SMALL_LISTS =
            CollectionType.list(OwnedText.TEXT, SMALL_NODES);
    private static final CollectionType<PersistentDeque<String>> SMALL_DEQUES =
            CollectionType.deque(OwnedText.TEXT, SMALL_NODES);

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

    /** How what a test is given is made, of these elements. */
    private static <C extends Collection<String>> C filled(C collection, String[] elements) {
        collection.addAll(Arrays.asList(elements));
        return collection;
    }

    /** As {@link #filled}, each element in a node of its own. */
    private static <C extends Collection<String>> C spread(C collection, String[] elements) {
        for (String element : elements) {
            collection.add(element);
            for (int i = 0; i < NODE; i++) {
                collection.add(BETWEEN);
            }
        }
        boolean unused = collection.removeIf(BETWEEN::equals);
        return collection;
    }

    private static TestSuite list() {
        CollectionType<PersistentList<String>> type = CollectionType.list(OwnedText.TEXT);
        return list("PersistentList", elements -> filled(made.make(type), elements));
    }

    private static TestSuite listOfSmallNodes() {
        return list(
                "PersistentList of small nodes",
                elements -> spread(made.make(SMALL_LISTS), elements));
    }

    private static TestSuite list(String name, Function<String[], List<String>> make) {
        return ListTestSuiteBuilder.using(
                        new TestStringListGenerator() {
                            @Override
                            protected List<String> create(String[] elements) {
                                return make.apply(elements);
                            }
                        })
                .named(name)
                .withFeatures(ListFeature.GENERAL_PURPOSE, CollectionSize.ANY)
                .createTestSuite();
    }

    private static TestSuite deque() {
        CollectionType<PersistentDeque<String>> type = CollectionType.deque(OwnedText.TEXT);
        return deque("PersistentDeque", elements -> filled(made.make(type), elements));
    }

    private static TestSuite dequeOfSmallNodes() {
        return deque(
                "PersistentDeque of small nodes",
                elements -> spread(made.make(SMALL_DEQUES), elements));
    }

    private static TestSuite deque(String name, Function<String[], Queue<String>> make) {
        return QueueTestSuiteBuilder.using(
                        new TestStringQueueGenerator() {
                            @Override
                            protected Queue<String> create(String[] elements) {
                                return make.apply(elements);
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
    void aListOutsideOfTransactions() {
        ContractTests.run(list(), made::outside, OF_LISTS);
    }

    @Test
    @Tag("sliced")
    void aListWithinATransaction() {
        ContractTests.run(list(), made::within, OF_LISTS);
    }

    @Test
    @Tag("sliced")
    void aListOfSmallNodesOutsideOfTransactions() {
        ContractTests.run(listOfSmallNodes(), made::outside, OF_LISTS);
    }

    @Test
    @Tag("sliced")
    void aListOfSmallNodesWithinATransaction() {
        ContractTests.run(listOfSmallNodes(), made::within, OF_LISTS);
    }

    @Test
    @Tag("sliced")
    void aDequeOfSmallNodesOutsideOfTransactions() {
        ContractTests.run(dequeOfSmallNodes(), made::outside, OF_LISTS);
    }

    @Test
    @Tag("sliced")
    void aDequeOfSmallNodesWithinATransaction() {
        ContractTests.run(dequeOfSmallNodes(), made::within, OF_LISTS);
    }

    /** With the header, the inner nodes of a list, and three texts. */
    @Test
    void whatIsSpreadHasANodeForEachElement() {
        made.outside(
                () -> {
                    List<String> list =
                            spread(made.make(SMALL_LISTS), new String[] {"a", "b", "c"});
                    assertThat(list).containsExactly("a", "b", "c");
                    assertThat(heap.objects()).isGreaterThanOrEqualTo(1 + 1 + 3 + 3);
                });
        made.outside(
                () -> {
                    Queue<String> deque =
                            spread(made.make(SMALL_DEQUES), new String[] {"a", "b", "c"});
                    assertThat(deque).containsExactly("a", "b", "c");
                    assertThat(heap.objects()).isEqualTo(1 + 3 + 3);
                });
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
