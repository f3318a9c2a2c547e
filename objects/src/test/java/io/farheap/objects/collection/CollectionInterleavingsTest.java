package io.farheap.objects.collection;

import static io.farheap.objects.value.LongType.LONG;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.testing.support.LincheckFiles;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls of several threads outside of transactions give what they would give one after the other:
 * Lincheck makes up the calls, and searches an order for what they gave.
 *
 * <p>It has a JVM of its own, because Lincheck rewrites the classes of the one that it runs in.
 */
@Tag("own-jvm")
class CollectionInterleavingsTest {
    /** Nodes of the fewest entries: four calls split and empty them. */
    private static final long SMALL_NODES = 1;

    @TempDir static Path directory;
    private static ObjectPool pool;
    private static HeapTransactions heap;
    private static Runnable deletion = () -> {};

    @BeforeAll
    static void create() {
        pool =
                ObjectPool.at(directory.resolve("pool"))
                        .layout("interleavings")
                        .size(16 << 20)
                        .create();
        heap = new HeapTransactions(pool);
    }

    @AfterAll
    static void close() {
        heap.close();
        pool.close();
        LincheckFiles.remove();
    }

    /** A new one in place of the one before. */
    static <C> C made(CollectionType<C> type) {
        deletion.run();
        long header = heap.transaction(type::create);
        deletion = () -> DeletedCollections.delete(heap, type, header);
        return type.open(heap, header);
    }

    // ---- ours, and what each is compared with ----

    /** A map in the pool. */
    public static final class Hashed extends MapOperations {
        static final CollectionType<PersistentMap<Long, Long>> TYPE =
                CollectionType.map(LONG, LONG);

        public Hashed() {
            super(made(TYPE));
        }
    }

    /** A map of the JDK. */
    public static final class HashedOneByOne extends MapOperations {
        public HashedOneByOne() {
            super(new ConcurrentHashMap<>());
        }
    }

    /** A sorted map in the pool. */
    public static final class Sorted extends SortedMapOperations {
        static final CollectionType<PersistentSortedMap<Long, Long>> TYPE =
                CollectionType.sortedMap(LONG, LONG, null, SMALL_NODES);

        public Sorted() {
            super(made(TYPE));
        }
    }

    /** A sorted map of the JDK. */
    public static final class SortedOneByOne extends SortedMapOperations {
        public SortedOneByOne() {
            super(new ConcurrentSkipListMap<>());
        }
    }

    /** A deque in the pool. */
    public static final class Ends extends DequeOperations {
        static final CollectionType<PersistentDeque<Long>> TYPE =
                CollectionType.deque(LONG, SMALL_NODES);

        public Ends() {
            super(made(TYPE));
        }
    }

    /** A deque of the JDK. */
    public static final class EndsOneByOne extends DequeOperations {
        public EndsOneByOne() {
            super(new ArrayDeque<>());
        }
    }

    // ---- tests ----

    private static void check(
            Class<?> ours, Class<?> oneByOne, int threads, int scenarios, int invocations) {
        new StressOptions()
                .iterations(scenarios)
                .invocationsPerIteration(invocations)
                .threads(threads)
                .actorsPerThread(3)
                .actorsBefore(3)
                .actorsAfter(2)
                .sequentialSpecification(oneByOne)
                .check(ours);
    }

    @Test
    void callsOfAMapComeOneAfterTheOther() {
        check(Hashed.class, HashedOneByOne.class, 2, 4, 150);
    }

    @Test
    void callsOfASortedMapComeOneAfterTheOther() {
        check(Sorted.class, SortedOneByOne.class, 2, 4, 150);
    }

    @Test
    void callsOfADequeComeOneAfterTheOther() {
        check(Ends.class, EndsOneByOne.class, 2, 4, 150);
    }

    @Tag("deep")
    @Test
    void callsOfThreeThreadsComeOneAfterTheOther() {
        check(Hashed.class, HashedOneByOne.class, 3, 100, 400);
        check(Sorted.class, SortedOneByOne.class, 3, 100, 400);
        check(Ends.class, EndsOneByOne.class, 3, 100, 400);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                CallsInTwo.PutIfAbsent.class,
                CallsInTwo.Merge.class,
                CallsInTwo.ComputeIfAbsent.class
            })
    @Tag("deep")
    void aCallOfAMapInTwoTransactionsIsNoticed(Class<?> mistaken) {
        requireNoticed(mistaken, HashedOneByOne.class);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                CallsInTwo.SortedPollFirst.class,
                CallsInTwo.SortedCeiling.class,
                CallsInTwo.SortedPutIfAbsent.class
            })
    @Tag("deep")
    void aCallOfASortedMapInTwoTransactionsIsNoticed(Class<?> mistaken) {
        requireNoticed(mistaken, SortedOneByOne.class);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                CallsInTwo.DequePollFirst.class,
                CallsInTwo.DequePollLast.class,
                CallsInTwo.DequeRemoveFirstOccurrence.class
            })
    @Tag("deep")
    void aCallOfADequeInTwoTransactionsIsNoticed(Class<?> mistaken) {
        requireNoticed(mistaken, EndsOneByOne.class);
    }

    private static void requireNoticed(Class<?> mistaken, Class<?> oneByOne) {
        StressOptions options =
                new StressOptions()
                        .iterations(100)
                        .invocationsPerIteration(100)
                        .threads(2)
                        .actorsPerThread(2)
                        .minimizeFailedScenario(false)
                        .sequentialSpecification(oneByOne);
        assertThatThrownBy(() -> options.check(mistaken))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }
}
