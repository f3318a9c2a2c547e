package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.LongType;
import io.farheap.objects.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program that uses a collection whose links run in a circle or out of the pool is told so. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DamagedCollectionsTest {
    private static final long OUTSIDE = 1L << 40;
    private static final long SMALL_NODES = 1;
    private static final CollectionType<PersistentMap<Long, Long>> MAPS =
            CollectionType.map(LongType.LONG, LongType.LONG);
    private static final CollectionType<PersistentSortedMap<Long, Long>> SORTED_MAPS =
            CollectionType.sortedMap(LongType.LONG, LongType.LONG, null, SMALL_NODES);
    private static final CollectionType<PersistentList<Long>> LISTS =
            CollectionType.list(LongType.LONG, SMALL_NODES);
    private static final CollectionType<PersistentDeque<Long>> DEQUES =
            CollectionType.deque(LongType.LONG, SMALL_NODES);

    private OpenHeap heap;

    @BeforeEach
    void create() {
        heap = OpenHeap.create(16 << 20);
    }

    @AfterEach
    void close() {
        heap.close();
    }

    private void damage(Consumer<HeapTransaction> change) {
        heap.heap.transaction(
                tx -> {
                    change.accept(tx);
                    return null;
                });
    }

    /** All that a collection owns, in the order in which it is shown; slots' holders too. */
    private List<Long> parts(CollectionType<?> type, long header) {
        List<Long> parts = new ArrayList<>();
        heap.heap.read(
                tx -> {
                    type.walk(
                            tx,
                            header,
                            new CollectionVisitor() {
                                @Override
                                public void object(long offset) {
                                    parts.add(offset);
                                }

                                @Override
                                public void slot(ValueType<?> slot, long object, long offset) {
                                    // numbers
                                }
                            });
                    return null;
                });
        return parts;
    }

    private static void refused(ThrowingCallable use, String... words) {
        assertThatThrownBy(use)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(FarheapException.Category.BAD_DATA))
                .hasMessageContaining("farheap dump")
                .satisfies(e -> assertThat(e.getMessage()).contains(words));
    }

    private void refusedInTransaction(Runnable use, String... words) {
        refused(
                () ->
                        heap.heap.transaction(
                                tx -> {
                                    use.run();
                                    return null;
                                }),
                words);
        refused(use::run, words);
    }

    // ---- maps ----

    /** A map of few entries, of which each is followed by what is told. */
    private long mapLinkedTo(long next) {
        long header = heap.create(MAPS);
        PersistentMap<Long, Long> map = MAPS.open(heap.heap, header);
        for (long key = 0; key < 8; key++) {
            map.putLong(key, key);
        }
        List<Long> parts = parts(MAPS, header);
        damage(
                tx -> {
                    for (long entry : parts.subList(1, parts.size())) {
                        tx.setLong(entry, HashLayout.NEXT, next == 0 ? entry : next);
                    }
                });
        return header;
    }

    @Test
    void aChainInACircleEnds() {
        long header = mapLinkedTo(0);
        PersistentMap<Long, Long> map = MAPS.open(heap.heap, header);
        String[] words = {
            "The map or set at 0x" + Long.toHexString(header) + " is damaged", "no end"
        };
        refused(() -> LongStream.range(100, 200).forEach(map::get), words);
        refused(() -> LongStream.range(100, 200).forEach(key -> map.getLong(key, 0)), words);
        refusedInTransaction(() -> LongStream.range(100, 200).forEach(map::remove), words);
        refusedInTransaction(
                () -> LongStream.range(100, 200).forEach(key -> map.put(key, key)), words);
        refused(() -> map.keySet().forEach(key -> {}), words);
        refusedInTransaction(map::clear, "two of its parts");
        assertThatThrownBy(() -> parts(MAPS, header)).hasMessageContaining("no end");
    }

    @Test
    void aChainThatLeavesThePoolEnds() {
        PersistentMap<Long, Long> map = MAPS.open(heap.heap, mapLinkedTo(OUTSIDE));
        String words = "outside of the pool";
        refusedInTransaction(() -> LongStream.range(100, 200).forEach(map::get), words);
        refusedInTransaction(() -> LongStream.range(100, 200).forEach(map::remove), words);
        refused(() -> map.keySet().forEach(key -> {}), words);
        refusedInTransaction(map::clear, words);
    }

    @Test
    void bucketsOutsideOfThePoolAreRefused() {
        long header = heap.create(MAPS);
        PersistentMap<Long, Long> map = MAPS.open(heap.heap, header);
        damage(
                tx -> {
                    for (int bucket = 0; bucket < 1 << HashLayout.FIRST_LEVEL; bucket++) {
                        tx.setSharedLong(header, HashLayout.wordAt(bucket), OUTSIDE);
                    }
                });
        refusedInTransaction(() -> map.get(1L), "outside of the pool");
    }

    @Test
    void aLevelThatNoMapHasIsRefused() {
        long header = mapLinkedTo(0);
        PersistentMap<Long, Long> map = MAPS.open(heap.heap, header);
        damage(tx -> tx.setSharedLong(header, HashLayout.LEVEL, 31));
        refusedInTransaction(map::clear, "its level is 31");
        refused(() -> assertThat(map.size()).isZero(), "its level is 31");
    }

    /** As many buckets as can be, none of which was ever used: they are not gone through. */
    @Test
    void theHighestLevelTakesNoTime() {
        long header = heap.create(MAPS);
        PersistentMap<Long, Long> map = MAPS.open(heap.heap, header);
        for (long key = 0; key < 100; key++) {
            map.putLong(key, key);
        }
        damage(tx -> tx.setSharedLong(header, HashLayout.LEVEL, HashLayout.LAST_LEVEL));
        assertThat(new ArrayList<>(map.keySet())).doesNotHaveDuplicates().hasSize(100);
        map.clear();
        heap.assertOwnsAll(MAPS, header);
    }

    @Test
    void anEntryInAnotherBucketThanItsHashSaysIsRefused() {
        long header = heap.create(MAPS);
        PersistentMap<Long, Long> map = MAPS.open(heap.heap, header);
        map.putLong(1, 1);
        List<Long> parts = parts(MAPS, header);
        damage(
                tx -> {
                    long entry = parts.getLast();
                    int hash = tx.getInt(entry, HashLayout.HASH);
                    tx.setInt(entry, HashLayout.HASH, hash ^ 1);
                });
        refusedInTransaction(() -> map.removeLong(1), "not in the bucket of its hash");
    }

    /** Longer than what is followed without a look, as equal hashes make it. */
    @Test
    void aLongChainIsNoCircle() {
        long header = heap.create(MAPS);
        PersistentMap<Long, Long> map = MAPS.open(heap.heap, header);
        for (long key = 0; key < 8; key++) {
            map.putLong(key, key);
        }
        int more = 5 * CircleWatch.SHORT;
        List<Long> firsts = parts(MAPS, header).subList(1, 9);
        damage(
                tx -> {
                    HashTable<Long, Long> table = new HashTable<>(LongType.LONG, LongType.LONG);
                    for (long first : firsts) {
                        long last = first;
                        while (HashChain.next(tx, last) != 0) {
                            last = HashChain.next(tx, last);
                        }
                        for (int i = 0; i < more; i++) {
                            long entry = tx.allocate(table.layout.entrySize, HashLayout.ENTRY_TYPE);
                            tx.setInt(entry, HashLayout.HASH, tx.getInt(first, HashLayout.HASH));
                            tx.setLong(entry, table.layout.key, 1000 + i);
                            tx.setLong(last, HashLayout.NEXT, entry);
                            last = entry;
                        }
                    }
                });
        assertThat(map.get(5000L)).isNull();
        assertThat(map.containsLong(6000)).isFalse();
        assertThat(parts(MAPS, header)).hasSize(1 + 8 + 8 * more);
    }

    // ---- sorted maps ----

    private PersistentSortedMap<Long, Long> sorted(long header) {
        PersistentSortedMap<Long, Long> map = SORTED_MAPS.open(heap.heap, header);
        for (long key = 0; key < 6; key++) {
            map.put(key, key);
        }
        return map;
    }

    @Test
    void leavesInACircleEnd() {
        long header = heap.create(SORTED_MAPS);
        PersistentSortedMap<Long, Long> map = sorted(header);
        long last = parts(SORTED_MAPS, header).getLast();
        damage(tx -> tx.setLong(last, NodeLayout.AFTER, last));
        refused(() -> map.keySet().forEach(key -> {}), "sorted map or set", "no end");
        refused(() -> new TreeMap<>(map.tailMap(1L)), "no end");
        refused(() -> assertThat(map.tailMap(1L).size()).isZero(), "no end");
    }

    /** As many entries as one batch of an iterator has: the circle is met by the next one. */
    @Test
    void leavesInACircleThatBatchesEndWithEnd() {
        CollectionType<PersistentSortedMap<Long, Long>> type =
                CollectionType.sortedMap(LongType.LONG, LongType.LONG, null, 1 << 20);
        long header = heap.create(type);
        PersistentSortedMap<Long, Long> map = type.open(heap.heap, header);
        for (long key = 0; key < NodeLayout.MOST; key++) {
            map.put(key, key);
        }
        long leaf = parts(type, header).getLast();
        damage(tx -> tx.setLong(leaf, NodeLayout.AFTER, leaf));
        refused(() -> map.keySet().forEach(key -> {}), "keys are not in order");
    }

    @Test
    void treesThatAreTooHighOrLackAChildAreRefused() {
        long header = heap.create(SORTED_MAPS);
        PersistentSortedMap<Long, Long> map = sorted(header);
        long root = parts(SORTED_MAPS, header).get(1);
        damage(tx -> TreeHeader.setRoot(tx, header, root, 1 << 30));
        refusedInTransaction(() -> map.get(1L), "its height is 1073741824");
        refusedInTransaction(map::clear, "its height is");
        damage(tx -> TreeHeader.setRoot(tx, header, heap.heap.read(own -> node(own)), 2));
        refusedInTransaction(() -> map.get(1L), "a child of it is missing");
    }

    /** A node of zeros. */
    private static long node(HeapTransaction tx) {
        return tx.allocate(512, SortedTree.INNER_TYPE);
    }

    // ---- lists and deques ----

    @Test
    void aListThatIsItsOwnChildEnds() {
        long header = heap.create(LISTS);
        PersistentList<Long> list = LISTS.open(heap.heap, header);
        LongStream.range(0, 40).forEach(list::add);
        long root = parts(LISTS, header).get(1);
        NodeLayout inner =
                new NodeLayout(
                        ListTree.INNER_TYPE,
                        SMALL_NODES,
                        Long.BYTES,
                        Long.BYTES,
                        Long.BYTES,
                        Long.BYTES);
        damage(tx -> tx.setLong(root, inner.first(tx, root, 0), root));
        refusedInTransaction(list::clear, "two other nodes name it");
    }

    private PersistentDeque<Long> dequeLinkedTo(long header, long next) {
        PersistentDeque<Long> deque = DEQUES.open(heap.heap, header);
        LongStream.range(0, 9).forEach(deque::add);
        long last = parts(DEQUES, header).getLast();
        damage(tx -> tx.setLong(last, NodeLayout.AFTER, next == 0 ? last : next));
        return deque;
    }

    @Test
    void chunksInACircleEnd() {
        long header = heap.create(DEQUES);
        PersistentDeque<Long> deque = dequeLinkedTo(header, 0);
        refused(
                () -> assertThat(deque.contains(100L)).isFalse(),
                "The deque at 0x" + Long.toHexString(header),
                "no end");
        refusedInTransaction(() -> deque.removeFirstOccurrence(100L), "no end");
        refusedInTransaction(deque::clear, "two other nodes name it");
        assertThatThrownBy(() -> parts(DEQUES, header)).hasMessageContaining("no end");
    }

    @Test
    void chunksThatLeaveThePoolEnd() {
        PersistentDeque<Long> deque = dequeLinkedTo(heap.create(DEQUES), OUTSIDE);
        refused(() -> assertThat(deque.contains(100L)).isFalse(), "outside of the pool");
        refusedInTransaction(deque::clear, "outside of the pool");
    }
}
