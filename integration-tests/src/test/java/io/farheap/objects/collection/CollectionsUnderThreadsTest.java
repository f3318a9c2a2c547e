package io.farheap.objects.collection;

import io.farheap.ObjectPool;
import io.farheap.objects.PersistentDeque;
import io.farheap.objects.PersistentMap;
import io.farheap.objects.PersistentSortedMap;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.LongType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import org.jetbrains.lincheck.datastructures.LongGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Histories of threads on one collection are those of some order of one after the other, says
 * Lincheck, which draws operations and runs them at once. Whole transactions on a pool are too much
 * for its model checker: threads are real here.
 *
 * <p>It stands in this module because Lincheck rewrites classes of its JVM.
 */
class CollectionsUnderThreadsTest {
    /** Nodes of 4 entries: few operations split them. */
    private static final long SMALL_NODES = 1;

    private static final long POOL_BYTES = 512 << 20;

    private static Path file;
    private static ObjectPool pool;
    private static HeapTransactions heap;

    @BeforeAll
    static void create() throws IOException {
        file = Files.createTempDirectory("collections").resolve("pool");
        pool = ObjectPool.at(file).layout("objects").size(POOL_BYTES).create();
        heap = new HeapTransactions(pool);
    }

    @AfterAll
    static void close() throws IOException {
        heap.close();
        pool.close();
        Files.delete(file);
        Files.delete(file.getParent());
    }

    private static <C> C make(CollectionType<C> type) {
        return type.open(heap, heap.transaction(type::create));
    }

    /** What is done to each kind of map. */
    @Param(name = "key", gen = LongGen.class, conf = "0:7")
    @Param(name = "value", gen = LongGen.class, conf = "1:3")
    public abstract static class OfMap {
        private final ConcurrentMap<Long, Long> map;

        OfMap(ConcurrentMap<Long, Long> map) {
            this.map = map;
            for (long key = 0; key < 8; key += 2) {
                Long unused = map.put(key, 0L); // nearly full: the next ones split
            }
        }

        @Operation
        public Long put(@Param(name = "key") long key, @Param(name = "value") long value) {
            return map.put(key, value);
        }

        @Operation
        public Long get(@Param(name = "key") long key) {
            return map.get(key);
        }

        @Operation
        public Long remove(@Param(name = "key") long key) {
            return map.remove(key);
        }

        @Operation
        public Long merge(@Param(name = "key") long key, @Param(name = "value") long value) {
            return map.merge(key, value, Long::sum);
        }

        @Operation
        public Long sum() {
            Map<Long, Long> seen = heap.read(tx -> Map.copyOf(map));
            return seen.values().stream().mapToLong(value -> value).sum();
        }

        @Operation
        public int size() {
            return map.size();
        }
    }

    /** By hash. */
    public static final class Hashed extends OfMap {
        private static final CollectionType<PersistentMap<Long, Long>> TYPE =
                CollectionType.map(LongType.LONG, LongType.LONG);

        /** For Lincheck. */
        public Hashed() {
            super(make(TYPE));
        }
    }

    /** In order. */
    public static final class Sorted extends OfMap {
        private static final CollectionType<PersistentSortedMap<Long, Long>> TYPE =
                CollectionType.sortedMap(LongType.LONG, LongType.LONG, null, SMALL_NODES);

        /** For Lincheck. */
        public Sorted() {
            super(make(TYPE));
        }
    }

    /** A queue with two ends. */
    @Param(name = "value", gen = LongGen.class, conf = "1:9")
    public static final class Deque {
        private static final CollectionType<PersistentDeque<Long>> TYPE =
                CollectionType.deque(LongType.LONG, SMALL_NODES);

        private final PersistentDeque<Long> deque = make(TYPE);

        @Operation
        public void addFirst(@Param(name = "value") long value) {
            deque.addFirst(value);
        }

        @Operation
        public void addLast(@Param(name = "value") long value) {
            deque.addLast(value);
        }

        @Operation
        public Long pollFirst() {
            return deque.pollFirst();
        }

        @Operation
        public Long pollLast() {
            return deque.pollLast();
        }

        @Operation
        public int size() {
            return deque.size();
        }
    }

    private static void check(Class<?> collection) {
        new StressOptions()
                .iterations(10)
                .invocationsPerIteration(150)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(2)
                .actorsAfter(1)
                .check(collection);
    }

    @Test
    void aMap() {
        check(Hashed.class);
    }

    @Test
    void aSortedMap() {
        check(Sorted.class);
    }

    @Test
    void aDeque() {
        check(Deque.class);
    }
}
