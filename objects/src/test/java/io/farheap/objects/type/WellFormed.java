package io.farheap.objects.type;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.objects.collection.DeletedCollections;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.FieldPlace;
import io.farheap.objects.value.Reach;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Holds all that is allocated in a pool against all that its typed objects own and refer to, by the
 * pool's type table. Knows nothing of {@link Reclaim}.
 */
public final class WellFormed {
    private final HeapTransaction tx;
    private final StoredTypes types;

    /** By place, the type number. */
    private final Map<Long, Long> allocated = new TreeMap<>();

    private final Set<Long> owned = new HashSet<>();

    /** By place, what it owns. */
    private final Map<Long, List<Long>> parts = new TreeMap<>();

    /** What the root reaches. */
    private final Set<Long> reached = new HashSet<>();

    private final Set<Long> deletedCollections = new HashSet<>();
    private final Set<Long> referred = new HashSet<>();

    private WellFormed(ObjectPool pool, HeapTransaction tx, StoredTypes types) {
        this.tx = tx;
        this.types = types;
        for (Ref object : pool.objects()) {
            if (RootLayout.isReclaimable(pool.typeNumber(object))) {
                allocated.put(object.offset(), pool.typeNumber(object));
            }
            if (DeletedCollections.isHeader(pool, object)) {
                deletedCollections.add(object.offset());
            }
        }
    }

    /**
     * Requires that each part has one owner, that all owned parts and all places that are referred
     * to are allocated, and that no part is without an owner.
     *
     * @return how many objects the root does not reach, by name of type; those that are deleted as
     *     "deleted"
     */
    public static Map<String, Long> unreached(ObjectPool pool) {
        return of(pool, WellFormed::unreached);
    }

    /**
     * Requires the same.
     *
     * @return how many objects and parts of theirs can be freed, by name of type or type number
     */
    public static Map<String, Long> freeable(ObjectPool pool) {
        return of(
                pool,
                heap -> {
                    Map<String, Long> unused = heap.unreached();
                    return heap.unreachedParts();
                });
    }

    private static Map<String, Long> of(
            ObjectPool pool, Function<WellFormed, Map<String, Long>> question) {
        try (HeapTransactions heap = new HeapTransactions(pool)) {
            StoredTypes types = new StoredTypes(StoredHeap.table(pool, heap), context(pool, heap));
            return heap.read(tx -> question.apply(new WellFormed(pool, tx, types)));
        }
    }

    /** For who reads no reference as an object of a class. */
    static HeapContext context(ObjectPool pool, HeapTransactions heap) {
        return new NoReferences(heap, pool.poolId());
    }

    private Map<String, Long> unreachedParts() {
        Map<Long, Long> left = new TreeMap<>(allocated);
        for (long place : reached) {
            left.remove(place);
            parts.getOrDefault(place, List.of()).forEach(left::remove);
        }
        Map<String, Long> byType = new TreeMap<>();
        for (long number : left.values()) {
            TypeDescriptor type = types.object(number);
            String name = type == null ? String.format("0x%x", number) : type.name();
            byType.merge(name, 1L, Long::sum);
        }
        return byType;
    }

    private Map<String, Long> unreached() {
        Set<Long> bodies = new HashSet<>();
        for (long place : places()) {
            if (ObjectLayout.isMoved(ObjectLayout.word(tx, place))) {
                bodies.add(ObjectLayout.movedTo(tx, place));
            }
        }
        Deque<Long> waiting = new ArrayDeque<>();
        Map<Long, Set<Long>> references = new TreeMap<>();
        for (long place : places()) {
            if (!bodies.contains(place)) {
                referred.clear();
                follow(place);
                references.put(place, Set.copyOf(referred));
            }
        }
        assertAllIn(allocated.keySet(), owned, "owned, and not allocated");
        Set<Long> ownerless = new HashSet<>(allocated.keySet());
        ownerless.removeAll(owned);
        ownerless.removeAll(references.keySet());
        ownerless.removeAll(deletedCollections);
        assertThat(ownerless).as("allocated, and owned by nothing").isEmpty();
        references.forEach(
                (place, to) ->
                        assertAllIn(
                                references.keySet(),
                                to,
                                "referred to by 0x%x, and no object",
                                place));
        long root = RootLayout.programRoot(tx, tx.root());
        if (root != 0) {
            waiting.add(root);
        }
        while (!waiting.isEmpty()) {
            long place = waiting.remove();
            if (reached.add(place)) {
                waiting.addAll(references.get(place));
            }
        }
        Map<String, Long> unreached = new TreeMap<>();
        for (long place : references.keySet()) {
            if (!reached.contains(place)) {
                unreached.merge(name(place), 1L, Long::sum);
            }
        }
        return unreached;
    }

    /** An assertion of a whole collection looks at each element for each. */
    private static void assertAllIn(
            Set<Long> all, Set<Long> some, String description, Object... arguments) {
        Set<Long> others = new HashSet<>(some);
        others.removeIf(all::contains);
        assertThat(others).as(description, arguments).isEmpty();
    }

    private List<Long> places() {
        return allocated.entrySet().stream()
                .filter(one -> one.getValue() >= TypeDescriptor.FIRST_ID)
                .map(Map.Entry::getKey)
                .toList();
    }

    private long bodyOf(long place) {
        boolean isMoved = ObjectLayout.isMoved(ObjectLayout.word(tx, place));
        return isMoved ? ObjectLayout.movedTo(tx, place) : place;
    }

    private String name(long place) {
        long word = ObjectLayout.word(tx, bodyOf(place));
        return ObjectLayout.isDeleted(word) ? "deleted" : types.object(word).name();
    }

    private void own(long place, long part) {
        parts.computeIfAbsent(place, unused -> new ArrayList<>()).add(part);
        assertThat(owned.add(part)).as("0x%x is owned twice", part).isTrue();
    }

    private void follow(long place) {
        if (ObjectLayout.isDeleted(ObjectLayout.word(tx, place))) {
            return;
        }
        long body = bodyOf(place);
        if (body != place) {
            own(place, body);
        }
        TypeDescriptor type = types.object(ObjectLayout.word(tx, body));
        assertThat(type).as("the type of 0x%x", place).isNotNull();
        for (FieldPlace field : types.places(type)) {
            if (StoredObjects.isThere(tx, body, field)) {
                field.type()
                        .reach(
                                tx,
                                body,
                                field.offset(),
                                new Reach() {
                                    @Override
                                    public void block(long offset) {
                                        own(place, offset);
                                    }

                                    @Override
                                    public void object(long offset) {
                                        referred.add(offset);
                                    }
                                });
            }
        }
    }

    /** Whoever only follows references makes nothing of them. */
    private record NoReferences(HeapTransactions transactions, long poolId) implements HeapContext {
        @Override
        public <T> T at(HeapTransaction tx, long offset, Class<T> type) {
            throw new AssertionError("a reference was read");
        }

        @Override
        public long offsetOf(Object object) {
            throw new AssertionError("a reference was written");
        }
    }
}
