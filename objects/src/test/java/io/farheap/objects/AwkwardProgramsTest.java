package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.base.TransactionConflictException;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import io.farheap.objects.schema.SortedBy;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever a program does, the heap is as before or as the program said, and says what is wrong.
 */
class AwkwardProgramsTest {
    private static final String HALF_A_CHARACTER = "text with half a character: \ud83d";

    @Persistent
    interface Root {
        String text();

        void text(String value);

        Thing thing();

        void thing(Thing value);

        Nested nested();

        void nested(Nested value);

        PersistentMap<String, String> map();

        PersistentSortedMap<String, String> sortedMap();

        PersistentSet<String> set();

        PersistentSortedSet<String> sortedSet();

        PersistentList<String> list();

        PersistentDeque<String> deque();

        PersistentMap<String, Thing> things();

        PersistentMap<Double, String> doubles();

        PersistentSortedMap<Double, String> sortedDoubles();

        PersistentMap<BigDecimal, String> decimals();

        PersistentSortedMap<BigDecimal, String> sortedDecimals();

        PersistentMap<String, byte[]> arrays();

        PersistentMap<Nested, String> byNested();

        @SortedBy(Moody.class)
        PersistentSortedMap<String, String> moody();
    }

    @Persistent
    interface Thing {
        long number();

        void number(long value);
    }

    @Persistent
    interface Queued {
        PersistentDeque<String> jobs();
    }

    sealed interface Nested permits Leaf, Inner {}

    record Leaf(String text) implements Nested {}

    record Inner(Nested inside) implements Nested {}

    /** An order that throws or lies when it is told to. */
    static final class Moody implements Comparator<String> {
        static Comparator<String> mood = Comparator.naturalOrder();

        @Override
        public int compare(String one, String other) {
            return mood.compare(one, other);
        }
    }

    private final PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class, Thing.class);
    private final Root root = heap.root();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        heap.close();
    }

    private static void elsewhere(Runnable action) {
        CompletableFuture.runAsync(action).join();
    }

    // ---- changes that fail in the middle ----

    private static Stream<String> refusedChanges() {
        return Stream.of(
                "map key",
                "map value",
                "map merge",
                "sorted key",
                "sorted value",
                "set",
                "sorted set",
                "list",
                "list set",
                "list insert",
                "deque",
                "deque first",
                "field",
                "too long");
    }

    private void change(String what) {
        switch (what) {
            case "map key" -> root.map().put(HALF_A_CHARACTER, "x");
            case "map value" -> root.map().put("new", HALF_A_CHARACTER);
            case "map merge" -> root.map().merge("b", "c", (a, b) -> HALF_A_CHARACTER);
            case "sorted key" -> root.sortedMap().put(HALF_A_CHARACTER, "x");
            case "sorted value" -> root.sortedMap().put("new", HALF_A_CHARACTER);
            case "set" -> root.set().add(HALF_A_CHARACTER);
            case "sorted set" -> root.sortedSet().add(HALF_A_CHARACTER);
            case "list" -> root.list().add(HALF_A_CHARACTER);
            case "list set" -> root.list().set(1, HALF_A_CHARACTER);
            case "list insert" -> root.list().add(1, HALF_A_CHARACTER);
            case "deque" -> root.deque().add(HALF_A_CHARACTER);
            case "deque first" -> root.deque().addFirst(HALF_A_CHARACTER);
            case "field" -> root.text(HALF_A_CHARACTER);
            default -> root.map().put("b", "x".repeat(32 << 20));
        }
    }

    private void fill() {
        for (String text : List.of("a", "b", "c, which is too long for the inside of a slot")) {
            root.map().put(text, text);
            root.sortedMap().put(text, text);
            root.set().add(text);
            root.sortedSet().add(text);
            root.list().add(text);
            root.deque().add(text);
        }
        root.text("a text that is too long for the inside of a slot");
    }

    private String content() {
        return heap.read(
                all ->
                        Stream.of(
                                        all.map(),
                                        all.sortedMap(),
                                        all.set(),
                                        all.sortedSet(),
                                        all.list(),
                                        all.deque(),
                                        all.map().size(),
                                        all.sortedMap().size(),
                                        all.text())
                                .toList()
                                .toString());
    }

    @ParameterizedTest
    @MethodSource("refusedChanges")
    void aChangeThatFailsLeavesNothingAlsoWhereItsExceptionIsCaught(String what) {
        fill();
        String before = content();
        assertThatThrownBy(() -> change(what)).isInstanceOf(FarheapException.class);
        assertThat(content()).isEqualTo(before);
        try {
            heap.transaction(
                    all -> {
                        assertThatThrownBy(() -> change(what)).isNotNull();
                    });
        } catch (FarheapException refused) {
            assertThat(refused).hasMessageContaining("in its middle");
        }
        assertThat(content()).isEqualTo(before);
        assertThat(heap.unreachable().objects()).isZero();
    }

    @Test
    void anObjectOfAnotherHeapIsNoElement() {
        try (PersistentHeap<Root> other = PersistentHeap.inMemory(Root.class, Thing.class)) {
            Thing foreign = other.create(Thing.class);
            assertThatThrownBy(() -> root.things().put("foreign", foreign))
                    .hasMessageContaining("another heap");
            assertThatThrownBy(
                            () ->
                                    heap.transaction(
                                            all -> {
                                                try {
                                                    all.things().put("foreign", foreign);
                                                } catch (FarheapException ignored) {
                                                    all.text("and on it goes");
                                                }
                                            }))
                    .hasMessageContaining("another heap");
        }
        assertThat(root.things()).isEmpty();
        assertThat(root.text()).isNull();
    }

    @Test
    void nullIsRefusedAndSpoilsNothing() {
        heap.transaction(
                all -> {
                    for (ThrowingCallable call :
                            List.<ThrowingCallable>of(
                                    () -> all.map().put(null, "x"),
                                    () -> all.map().put("x", null),
                                    () -> all.map().get(null),
                                    () -> all.sortedMap().put(null, "x"),
                                    () -> all.sortedMap().ceilingKey(null),
                                    () -> all.set().add(null),
                                    () -> all.sortedSet().add(null),
                                    () -> all.list().add(null),
                                    () -> all.list().addAll(Arrays.asList("y", null)),
                                    () -> all.set().addAll(Arrays.asList("y", null)),
                                    () -> all.sortedSet().addAll(Arrays.asList("y", null)),
                                    () -> all.deque().addAll(Arrays.asList("y", null)),
                                    () -> all.map().putAll(Collections.singletonMap("y", null)),
                                    () -> all.deque().addFirst(null))) {
                        assertThatThrownBy(call).isInstanceOf(NullPointerException.class);
                    }
                    all.map().put("a", "b");
                });
        assertThat(root.map()).containsOnlyKeys("a");
        assertThat(root.list()).isEmpty();
        assertThat(root.set()).isEmpty();
        assertThat(root.deque()).isEmpty();
    }

    @Test
    void aFullPoolLeavesWhatWasThereAndRoomForMoreOnceSomethingIsGone() {
        int before = 0;
        String value = "x".repeat(100_000);
        assertThat(root.map().put("first", value)).isNull();
        try {
            while (true) {
                root.map().put("k" + before, value);
                before++;
            }
        } catch (FarheapException full) {
            assertThat(full).hasMessageContaining("no room");
        }
        assertThat(before).isGreaterThan(10);
        assertThat(root.map()).hasSize(before + 1).containsEntry("first", value);
        int last = before;
        assertThatThrownBy(
                        () ->
                                heap.transaction(
                                        all -> {
                                            try {
                                                all.map().put("first", value + value);
                                            } catch (FarheapException full) {
                                                all.map().remove("k" + (last - 1));
                                            }
                                        }))
                .isInstanceOf(FarheapException.class);
        assertThat(root.map()).hasSize(before + 1).containsEntry("first", value);
        assertThat(root.map().remove("first")).isEqualTo(value);
        root.map().put("second", value);
        root.map().clear();
        assertThat(heap.unreachable().objects()).isZero();
    }

    @Test
    void anOrderThatThrowsLeavesTheMapAsItWas() {
        for (int i = 0; i < 200; i++) {
            root.moody().put("k" + i, "v");
        }
        AtomicInteger calls = new AtomicInteger();
        for (int i = 0; i < 12; i++) {
            int enough = i;
            calls.set(0);
            Moody.mood =
                    (one, other) -> {
                        if (calls.incrementAndGet() > enough) {
                            throw new IllegalStateException("in no mood");
                        }
                        return one.compareTo(other);
                    };
            assertThatThrownBy(() -> root.moody().put("k1" + enough + "x", "new"))
                    .hasMessage("in no mood");
            assertThatThrownBy(() -> root.moody().remove("k77")).hasMessage("in no mood");
        }
        Moody.mood = Comparator.naturalOrder();
        assertThat(root.moody()).hasSize(200).containsEntry("k77", "v");
        assertThat(List.copyOf(root.moody().keySet())).isSorted();
    }

    @Test
    void anOrderThatLiesEndsAllTheSameAndLosesNoBlock() {
        Random random = new Random(7);
        int refused = 0;
        Moody.mood = (one, other) -> random.nextInt(3) - (one.equals(other) ? 2 : 1);
        try {
            for (int i = 0; i < 2000; i++) {
                String key = "a key in a block of its own, number " + random.nextInt(1000);
                try {
                    String unused =
                            i % 3 == 0 ? root.moody().remove(key) : root.moody().put(key, key);
                } catch (FarheapException contradiction) {
                    assertThat(contradiction).hasMessageContaining("contradicts");
                    refused++;
                }
            }
        } finally {
            Moody.mood = Comparator.naturalOrder();
        }
        assertThat(refused).isPositive();
        assertThat(heap.unreachable().objects()).isZero();
        root.moody().clear();
        assertThat(root.moody()).isEmpty();
        assertThat(heap.unreachable().objects()).isZero();
    }

    @Test
    void aValueThatIsNestedTooDeepIsRefused() {
        Nested deep = new Leaf("in the middle");
        for (int i = 0; i < 200_000; i++) {
            deep = new Inner(deep);
        }
        Nested tooDeep = deep;
        assertThatThrownBy(() -> root.nested(tooDeep))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("nested");
        assertThatThrownBy(() -> root.byNested().put(tooDeep, "x"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("nested");
        assertThat(root.nested()).isNull();
        assertThat(root.byNested()).isEmpty();
        assertThat(heap.unreachable().objects()).isZero();
    }

    // ---- keys that are equal or not ----

    @Test
    void keysAreEqualAsInMapsOfTheJdk() {
        double otherNan = Double.longBitsToDouble(0x7ff8_0000_0000_0001L);
        for (Map<Double, String> map : List.of(root.doubles(), root.sortedDoubles())) {
            map.put(Double.NaN, "nan");
            map.put(otherNan, "the same");
            map.put(0.0, "zero");
            map.put(-0.0, "minus zero");
            assertThat(map).hasSize(3).containsEntry(Double.NaN, "the same");
            assertThat(map.get(0.0)).isEqualTo("zero");
            assertThat(map.get(-0.0)).isEqualTo("minus zero");
        }
        assertThat(root.sortedDoubles().lastKey()).isNaN();
        assertThat(1 / root.sortedDoubles().firstKey()).isNegative();
        BigDecimal one = new BigDecimal("1");
        BigDecimal sameWithScale = new BigDecimal("1.0");
        for (BigDecimal key : List.of(one, sameWithScale)) {
            root.decimals().put(key, "x");
            root.sortedDecimals().put(key, "x");
        }
        assertThat(root.decimals()).hasSize(2);
        assertThat(root.sortedDecimals()).hasSize(1).containsKey(new BigDecimal("1.00"));
    }

    @Test
    void anArrayThatIsChangedInPlaceIsStored() {
        root.arrays().put("a", new byte[3]);
        root.arrays()
                .compute(
                        "a",
                        (key, bytes) -> {
                            bytes[0] = 1;
                            return bytes;
                        });
        root.arrays()
                .computeIfPresent(
                        "a",
                        (key, bytes) -> {
                            bytes[1] = 2;
                            return bytes;
                        });
        root.arrays()
                .merge(
                        "a",
                        new byte[0],
                        (bytes, other) -> {
                            bytes[2] = 3;
                            return bytes;
                        });
        assertThat(root.arrays().get("a")).containsExactly(1, 2, 3);
        byte[] there = root.arrays().computeIfAbsent("a", key -> new byte[9]);
        assertThat(there).hasSize(3);
    }

    // ---- threads ----

    @Test
    void whatIsRemovedByAConditionMeetsItWhenItIsRemoved() {
        root.map().put("a", "old");
        root.map().values().removeIf(isOld(() -> root.map().put("a", "new")));
        assertThat(root.map()).containsEntry("a", "new");
        root.map().put("a", "old");
        Predicate<String> isOld = isOld(() -> root.map().put("a", "new"));
        root.map().entrySet().removeIf(entry -> isOld.test(entry.getValue()));
        assertThat(root.map()).containsEntry("a", "new");
        root.list().addAll(List.of("old", "new"));
        root.list().removeIf(isOld(() -> root.list().add(0, "newer")));
        assertThat(root.list()).containsExactly("newer", "new");
        root.deque().addAll(List.of("old", "new"));
        root.deque().removeIf(isOld(() -> root.deque().pollFirst()));
        assertThat(root.deque()).containsExactly("new");
    }

    /** A condition; while it is asked for the first time, another thread changes something. */
    private static Predicate<String> isOld(Runnable meanwhile) {
        AtomicBoolean asked = new AtomicBoolean();
        return text -> {
            if (!asked.getAndSet(true)) {
                elsewhere(meanwhile);
            }
            return text.equals("old");
        };
    }

    @Test
    void anInterruptedThreadCommitsAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        try {
            heap.transaction(all -> all.text("x"));
            assertThat(root.text()).isEqualTo("x");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aThreadThatTakesHearsWhenTheHeapIsClosed() {
        CompletableFuture<String> taking = taking(root.deque());
        heap.close();
        assertThat(taking)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withMessageContaining("closed");
    }

    @Test
    void aThreadThatTakesHearsWhenTheDequeIsDeleted() {
        Queued queued = heap.create(Queued.class);
        CompletableFuture<String> taking = taking(queued.jobs());
        heap.delete(queued);
        assertThat(taking)
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withMessageContaining("deleted");
    }

    private CompletableFuture<String> taking(PersistentDeque<String> deque) {
        AtomicReference<Thread> thread = new AtomicReference<>();
        CompletableFuture<String> taking =
                CompletableFuture.supplyAsync(
                        () -> {
                            thread.set(Thread.currentThread());
                            try {
                                return deque.take();
                            } catch (InterruptedException interrupted) {
                                throw new AssertionError(interrupted);
                            }
                        },
                        threads);
        await().until(
                        () ->
                                thread.get() != null
                                        && thread.get().getState() == Thread.State.TIMED_WAITING);
        return taking;
    }

    // ---- after the commit ----

    @Test
    void anActionAfterTheCommitMayBeginATransactionOrCloseTheHeap() {
        List<String> seen = new ArrayList<>();
        heap.transaction(
                all -> {
                    all.text("one");
                    heap.afterCommit(
                            () ->
                                    heap.transaction(
                                            inner -> {
                                                seen.add(inner.text());
                                                inner.text("two");
                                                heap.afterCommit(() -> seen.add(root.text()));
                                            }));
                    heap.afterCommit(heap::close);
                });
        assertThat(seen).containsExactly("one", "two");
        assertThatThrownBy(() -> root.text()).hasMessageContaining("closed");
    }

    @Test
    void anErrorAfterAConflictRunsTheBodyAgain() {
        AtomicInteger runs = new AtomicInteger();
        heap.transaction(
                all -> {
                    if (runs.incrementAndGet() == 1) {
                        elsewhere(() -> root.text("meanwhile"));
                    }
                    try {
                        all.text();
                    } catch (TransactionConflictException conflict) {
                        throw new AssertionError("it can't be read", conflict);
                    }
                });
        assertThat(runs).hasValue(2);
    }
}
