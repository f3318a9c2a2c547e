package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.PoolMemory;
import io.farheap.ulog.RedoOperations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A heap with a model of what is in it. Commits are made as a redo log makes them, one word at a
 * time: content first, durable, then the word.
 */
final class TestHeap {
    static final long HEAP_OFFSET = 4096;

    private final PoolMemory memory;
    private final long heapSize;
    private final HeapStores stores;
    private final HeapSettings settings;
    private final RedoOperations operations = new RedoOperations();

    /** User offset to type number of what is allocated; every object has its own number. */
    final TreeMap<Long, Long> model = new TreeMap<>();

    /** What is allocated when the word is durable that is being stored; else as the model. */
    final TreeMap<Long, Long> next = new TreeMap<>();

    Heap heap;

    private TestHeap(PoolMemory memory, HeapStores stores, HeapSettings settings) {
        this.memory = memory;
        this.settings = settings;
        this.stores = stores;
        heapSize = memory.size() - HEAP_OFFSET;
    }

    /** The bytes of an image whose heap has one zone of {@code chunks} chunks. */
    static long imageSize(int chunks) {
        return HEAP_OFFSET
                + HeapLayout.HEADER_BYTES
                + HeapLayout.ZONE_META_BYTES
                + chunks * HeapLayout.CHUNK_BYTES;
    }

    static TestHeap create(PoolMemory memory) {
        return create(memory, HeapStores.local(memory));
    }

    static TestHeap create(PoolMemory memory, HeapStores stores) {
        HeapFormat.format(memory, HEAP_OFFSET, memory.size() - HEAP_OFFSET);
        return open(memory, stores);
    }

    static TestHeap create(PoolMemory memory, HeapSettings settings) {
        HeapFormat.format(memory, HEAP_OFFSET, memory.size() - HEAP_OFFSET);
        return open(memory, HeapStores.local(memory), settings);
    }

    static TestHeap open(PoolMemory memory, HeapStores stores) {
        return open(memory, stores, HeapSettings.defaults());
    }

    private static TestHeap open(PoolMemory memory, HeapStores stores, HeapSettings settings) {
        TestHeap opened = new TestHeap(memory, stores, settings);
        opened.reboot();
        return opened;
    }

    void reboot() {
        heap =
                Heap.boot(
                        memory,
                        HeapShape.of(memory, HEAP_OFFSET, heapSize),
                        stores,
                        HeapGrowth.NONE,
                        settings);
    }

    PoolMemory memory() {
        return memory;
    }

    Reservation reserve(long size, long type) {
        Reservation reservation = new Reservation();
        heap.reserve(size, type, 0, reservation);
        assertThat(reservation.usableSize()).isGreaterThanOrEqualTo(size);
        return reservation;
    }

    long allocate(long size, long type, int classId, int arenaId) {
        Reservation reservation = new Reservation();
        heap.reserve(size, type, 0, classId, arenaId, reservation);
        assertThat(reservation.usableSize()).isGreaterThanOrEqualTo(size);
        long offset = reservation.userOffset();
        publish(reservation, type);
        return offset;
    }

    void publish(Reservation reservation, long type) {
        long header = reservation.realOffset();
        memory.persist(header, reservation.userOffset() - header);
        next.put(reservation.userOffset(), type);
        apply(reservation);
        model.put(reservation.userOffset(), type);
        heap.published(reservation);
    }

    long allocate(long size, long type) {
        Reservation reservation = reserve(size, type);
        long offset = reservation.userOffset();
        publish(reservation, type);
        return offset;
    }

    Freeing commitFree(long userOffset) {
        Freeing freeing = new Freeing();
        heap.prepareFree(userOffset, freeing);
        next.remove(userOffset);
        apply(freeing);
        model.remove(userOffset);
        return freeing;
    }

    void free(long userOffset) {
        heap.freed(commitFree(userOffset));
    }

    void apply(RedoWord word) {
        operations.clear();
        word.addTo(operations);
        assertThat(operations.size()).isEqualTo(1);
        long offset = operations.offset(0);
        switch (operations.kind(0)) {
            case SET -> memory.putLong(offset, operations.value(0));
            case AND -> memory.andLong(offset, operations.value(0));
            case OR -> memory.orLong(offset, operations.value(0));
        }
        memory.persist(offset, Long.BYTES);
    }

    WalkResult walk() {
        return WalkResult.of(memory.image().asReadOnly(), HEAP_OFFSET, heapSize);
    }

    /** What is on the medium is consistent and is exactly what the model says. */
    WalkResult check() {
        WalkResult walk = walk();
        assertThat(walk.inconsistencies()).isEmpty();
        assertThat(objects(walk)).isEqualTo(model);
        assertDisjoint(walk);
        return walk;
    }

    static Map<Long, Long> objects(WalkResult walk) {
        Map<Long, Long> objects = new TreeMap<>();
        walk.objects().forEach(o -> objects.put(o.userOffset(), o.typeNumber()));
        assertThat(objects).hasSameSizeAs(walk.objects());
        return objects;
    }

    static void assertDisjoint(WalkResult walk) {
        List<HeapWalk.HeapObject> objects = new ArrayList<>(walk.objects());
        objects.sort(Comparator.comparingLong(HeapWalk.HeapObject::userOffset));
        long end = 0;
        for (HeapWalk.HeapObject object : objects) {
            assertThat(object.userOffset()).isGreaterThanOrEqualTo(end);
            end = object.userOffset() + object.usableSize();
        }
    }

    /** The heap's own view is the model's too. */
    void checkQueries() {
        List<Long> iterated = new ArrayList<>();
        for (long o = heap.first(); o != Heap.NONE; o = heap.next(o)) {
            iterated.add(o);
            assertThat(heap.isAllocated(o)).isTrue();
            assertThat(heap.typeNumber(o)).isEqualTo(model.get(o));
        }
        assertThat(iterated).containsExactlyElementsOf(model.keySet());
        walk().objects()
                .forEach(
                        o -> assertThat(heap.usableSize(o.userOffset())).isEqualTo(o.usableSize()));
    }

    /** How many chunks the medium calls free, in blocks as they lie. */
    static List<Integer> freeBlocks(WalkResult walk) {
        return walk.blocks().stream()
                .filter(block -> block.type() == HeapWalk.BlockType.FREE)
                .map(HeapWalk.Block::chunks)
                .toList();
    }
}
