package io.farheap.objects.collection;

import io.farheap.objects.collection.CollectionInterleavingsTest.Ends;
import io.farheap.objects.collection.CollectionInterleavingsTest.Hashed;
import io.farheap.objects.collection.CollectionInterleavingsTest.Sorted;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSortedMap;
import java.util.Map.Entry;
import java.util.concurrent.ConcurrentMap;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * Collections with one mistake each, which Lincheck must notice: a call looks in one transaction
 * and changes, or looks again, in another.
 */
public final class CallsInTwo {
    private CallsInTwo() {}

    /** Between the two: so that few processors do what many would. */
    private static <T> T looked(T found) {
        Thread.yield();
        return found;
    }

    private static Long putIfAbsent(ConcurrentMap<Long, Long> map, long key, long value) {
        Long old = looked(map.get(key));
        return old == null ? map.put(key, value) : old;
    }

    // ---- of a map ----

    /** A map with one key that comes and goes. */
    @Param(name = "key", gen = IntGen.class, conf = "1:1")
    @Param(name = "value", gen = IntGen.class, conf = "1:3")
    public abstract static class OfMap {
        final PersistentMap<Long, Long> map = CollectionInterleavingsTest.made(Hashed.TYPE);

        @Operation
        public Long remove(@Param(name = "key") int key) {
            return map.remove((long) key);
        }
    }

    /** With this call only. */
    public static final class PutIfAbsent extends OfMap {
        @Operation
        public Long putIfAbsent(@Param(name = "key") int key, @Param(name = "value") int value) {
            return CallsInTwo.putIfAbsent(map, key, value);
        }
    }

    /** With this call only. */
    public static final class Merge extends OfMap {
        @Operation
        public Long merge(@Param(name = "key") int key, @Param(name = "value") int value) {
            Long old = looked(map.get((long) key));
            Long sum = old == null ? (Long) (long) value : old == 3 ? null : (Long) (old + value);
            Long unused = sum == null ? map.remove((long) key) : map.put((long) key, sum);
            return sum;
        }
    }

    /** With this call only. */
    public static final class ComputeIfAbsent extends OfMap {
        @Operation
        public Long computeIfAbsent(
                @Param(name = "key") int key, @Param(name = "value") int value) {
            Long old = looked(map.get((long) key));
            Long made = old == null ? (Long) (long) (key + value) : old;
            Long unused = old == null ? map.put((long) key, made) : null;
            return made;
        }
    }

    // ---- of a sorted map ----

    /** A sorted map with two keys that come and go. */
    @Param(name = "key", gen = IntGen.class, conf = "1:2")
    @Param(name = "value", gen = IntGen.class, conf = "1:3")
    public abstract static class OfSortedMap {
        final PersistentSortedMap<Long, Long> map = CollectionInterleavingsTest.made(Sorted.TYPE);

        @Operation
        public Long remove(@Param(name = "key") int key) {
            return map.remove((long) key);
        }

        @Operation
        public Long put(@Param(name = "key") int key, @Param(name = "value") int value) {
            return map.put((long) key, (long) value);
        }
    }

    /** With this call only. */
    public static final class SortedPollFirst extends OfSortedMap {
        @Operation
        public String pollFirst() {
            Entry<Long, Long> first = looked(map.firstEntry());
            Long unused = first == null ? null : map.remove(first.getKey());
            return first == null ? "none" : first.getKey() + "=" + first.getValue();
        }
    }

    /** With this call only. */
    public static final class SortedCeiling extends OfSortedMap {
        @Operation
        public String ceiling(@Param(name = "key") int key) {
            Long found = looked(map.ceilingKey((long) key));
            return found == null ? "none" : found + "=" + map.get(found);
        }
    }

    /** With this call only. */
    public static final class SortedPutIfAbsent extends OfSortedMap {
        @Operation
        public Long putIfAbsent(@Param(name = "key") int key, @Param(name = "value") int value) {
            return CallsInTwo.putIfAbsent(map, key, value);
        }
    }

    // ---- of a deque ----

    /** A deque to which elements come at both ends. */
    @Param(name = "value", gen = IntGen.class, conf = "1:2")
    public abstract static class OfDeque {
        final PersistentDeque<Long> deque = CollectionInterleavingsTest.made(Ends.TYPE);

        @Operation
        public boolean offerFirst(@Param(name = "value") int value) {
            return deque.offerFirst((long) value);
        }

        @Operation
        public boolean offerLast(@Param(name = "value") int value) {
            return deque.offerLast((long) value);
        }
    }

    /** With this call only. */
    public static final class DequePollFirst extends OfDeque {
        @Operation
        public Long pollFirst() {
            Long first = looked(deque.peekFirst());
            Long unused = first == null ? null : deque.pollFirst();
            return first;
        }
    }

    /** With this call only. */
    public static final class DequePollLast extends OfDeque {
        @Operation
        public Long pollLast() {
            Long last = looked(deque.peekLast());
            Long unused = last == null ? null : deque.pollLast();
            return last;
        }
    }

    /** With this call only. */
    public static final class DequeRemoveFirstOccurrence extends OfDeque {
        @Operation
        public boolean removeFirstOccurrence(@Param(name = "value") int value) {
            boolean isThere = looked(deque.contains((long) value));
            boolean unused = isThere && deque.removeFirstOccurrence((long) value);
            return isThere;
        }
    }
}
