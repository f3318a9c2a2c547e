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
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
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
    private static <C> C made(CollectionType<C> type) {
        deletion.run();
        long header = heap.transaction(type::create);
        deletion =
                () ->
                        heap.transaction(
                                tx -> {
                                    type.delete(tx, header);
                                    return null;
                                });
        return type.open(heap, header);
    }

    // ---- ours, and what each is compared with ----

    /** A map in the pool. */
    public static final class Hashed extends MapOperations {
        private static final CollectionType<PersistentMap<Long, Long>> TYPE =
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
        private static final CollectionType<PersistentSortedMap<Long, Long>> TYPE =
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
        private static final CollectionType<PersistentDeque<Long>> TYPE =
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

    // ---- with a mistake: each looks in one transaction and puts in another ----

    /** A map with one key that comes and goes. */
    @Param(name = "key", gen = IntGen.class, conf = "1:1")
    @Param(name = "value", gen = IntGen.class, conf = "1:3")
    public abstract static class InTwo {
        final PersistentMap<Long, Long> map = made(Hashed.TYPE);

        @Operation
        public Long remove(@Param(name = "key") int key) {
            return map.remove((long) key);
        }

        final Long look(long key) {
            Long old = map.get(key);
            Thread.yield(); // so that few processors do what many would
            return old;
        }
    }

    /** With this call only. */
    public static final class PutIfAbsentInTwo extends InTwo {
        @Operation
        public Long putIfAbsent(@Param(name = "key") int key, @Param(name = "value") int value) {
            Long old = look(key);
            return old == null ? map.put((long) key, (long) value) : old;
        }
    }

    /** With this call only. */
    public static final class MergeInTwo extends InTwo {
        @Operation
        public Long merge(@Param(name = "key") int key, @Param(name = "value") int value) {
            Long old = look(key);
            Long sum = old == null ? (Long) (long) value : old == 3 ? null : (Long) (old + value);
            Long unused = sum == null ? map.remove((long) key) : map.put((long) key, sum);
            return sum;
        }
    }

    /** With this call only. */
    public static final class ComputeIfAbsentInTwo extends InTwo {
        @Operation
        public Long computeIfAbsent(
                @Param(name = "key") int key, @Param(name = "value") int value) {
            Long old = look(key);
            Long made = old == null ? (Long) (long) (key + value) : old;
            Long unused = old == null ? map.put((long) key, made) : null;
            return made;
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
    @ValueSource(classes = {PutIfAbsentInTwo.class, MergeInTwo.class, ComputeIfAbsentInTwo.class})
    @Tag("deep")
    void aCallInTwoTransactionsIsNoticed(Class<?> mistaken) {
        StressOptions options =
                new StressOptions()
                        .iterations(100)
                        .invocationsPerIteration(100)
                        .threads(2)
                        .actorsPerThread(2)
                        .minimizeFailedScenario(false)
                        .sequentialSpecification(HashedOneByOne.class);
        assertThatThrownBy(() -> options.check(mistaken))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }
}
