package io.farheap.it.readers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.it.support.Machines;
import io.farheap.objects.DeletedObjectException;
import io.farheap.objects.HeapReplica;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSortedMap;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Typed objects, read on a replica's machine while their writer changes them. */
@Timeout(120)
class TypedReadersTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final long TOTAL = 1000;
    private static final int STATES = 30;
    private static final int READS = 500;

    private final Machines machines = Machines.with("there");
    private Path pool;
    private Path copy;

    /** Of one who has a part of it. */
    record Share(String owner, int percent) {}

    /** Whatever the ledger lists. */
    @Persistent
    interface Asset {
        long worth();

        void setWorth(long worth);
    }

    /** Of which the writer has none at first. */
    @Persistent
    interface House extends Asset {
        String street();

        void setStreet(String street);
    }

    /** The root. */
    @Persistent
    interface Ledger {
        long left();

        void setLeft(long amount);

        long right();

        void setRight(long amount);

        String title();

        void setTitle(String title);

        Share share();

        void setShare(Share share);

        Asset asset();

        void setAsset(Asset asset);

        PersistentMap<Long, Long> amounts();

        PersistentSortedMap<String, Asset> assets();

        PersistentList<String> notes();

        PersistentDeque<Long> queue();
    }

    @Persistent
    interface Unrelated {
        long number();
    }

    @BeforeEach
    void site() {
        machines.configure("there", "read-hold = 1000", "heartbeat-bound = 20000");
        copy = machines.poolSet("there", "copy.set", "32M");
        pool = machines.poolSet("here", "pool.set", "32M", "there copy.set");
    }

    @AfterEach
    void end() {
        machines.close();
    }

    private PoolOptions options() {
        return PoolOptions.builder()
                .replication("RPMEM_SSH", machines.settings().remoteShell())
                .replication("RPMEM_CMD", "exec " + machines.agentCommand())
                .replication("FARHEAP_HEARTBEAT", "2s")
                .build();
    }

    private PersistentHeap<Ledger> writer() {
        return PersistentHeap.open(pool, options(), Ledger.class);
    }

    private HeapReplica<Ledger> reader() {
        return PersistentHeap.openReplica(copy, Ledger.class);
    }

    private static void follow(PersistentHeap<?> writer, HeapReplica<?> reader) {
        assertThat(reader.await(writer.pool().position(), BOUND)).isTrue();
    }

    @Test
    void readsAllThatTheWriterHasCommitted() {
        try (PersistentHeap<Ledger> writer = writer();
                HeapReplica<Ledger> reader = reader()) {
            writer.transaction(
                    ledger -> {
                        ledger.setLeft(7);
                        ledger.setTitle("what there is");
                        ledger.setShare(new Share("Ada", 40));
                        ledger.setAsset(writer.create(Asset.class, asset -> asset.setWorth(11)));
                        for (long i = 0; i < 3000; i++) {
                            ledger.amounts().put(i, i * i);
                            ledger.queue().add(i);
                        }
                        for (int i = 0; i < 500; i++) {
                            ledger.notes().add("note " + i);
                            ledger.assets().put("asset %03d".formatted(i), ledger.asset());
                        }
                    });
            follow(writer, reader);

            Ledger ledger = reader.root();
            assertThat(ledger.left()).isEqualTo(7);
            assertThat(ledger.title()).isEqualTo("what there is");
            assertThat(ledger.share()).isEqualTo(new Share("Ada", 40));
            assertThat(ledger.asset().worth()).isEqualTo(11);
            assertThat(ledger.amounts()).hasSize(3000).containsEntry(1234L, 1234L * 1234);
            assertThat(ledger.amounts().getLong(77, 0)).isEqualTo(77 * 77);
            assertThat(ledger.queue().peekLast()).isEqualTo(2999);
            reader.view(
                    read -> {
                        assertThat(read).isEqualTo(ledger);
                        assertThat(read.notes()).hasSize(500).contains("note 499");
                        assertThat(read.assets().firstKey()).isEqualTo("asset 000");
                        assertThat(read.assets().headMap("asset 100")).hasSize(100);
                        assertThat(read.assets().get("asset 250")).isEqualTo(read.asset());
                        List<Long> all = new ArrayList<>(read.queue());
                        assertThat(all).hasSize(3000).startsWith(0L, 1L);
                    });

            writer.transaction(changed -> changed.setLeft(8));
            follow(writer, reader);
            assertThat(ledger.left()).as("an object is good in later reads").isEqualTo(8);
            long read = reader.read(Duration.ofSeconds(5), BOUND, now -> now.left());
            assertThat(read).isEqualTo(8);
            assertThat(reader.age()).isLessThan(BOUND);
        }
    }

    @Test
    void allOfAReadIsOfOneMoment() {
        AtomicBoolean over = new AtomicBoolean();
        try (PersistentHeap<Ledger> writer = writer();
                HeapReplica<Ledger> reader = reader()) {
            writer.transaction(ledger -> ledger.setLeft(TOTAL));
            writer.transaction(ledger -> ledger.amounts().put(0L, TOTAL));
            follow(writer, reader);
            CompletableFuture<Void> work =
                    CompletableFuture.runAsync(
                            () -> {
                                for (long i = 1; !over.get(); i++) {
                                    move(writer, i);
                                }
                            });
            long states = 0;
            long before = -1;
            for (int i = 0; states < STATES || i < READS; i++) {
                long left = reader.read(TypedReadersTest::sums);
                states += left == before ? 0 : 1;
                before = left;
            }
            over.set(true);
            work.join();
        }
    }

    private static void move(PersistentHeap<Ledger> writer, long turn) {
        writer.transaction(
                ledger -> {
                    ledger.setLeft(turn % TOTAL);
                    ledger.setRight(TOTAL - turn % TOTAL);
                    long from = (turn - 1) % 50;
                    ledger.amounts().remove(from);
                    ledger.amounts().put(turn % 50, TOTAL);
                });
    }

    private static long sums(Ledger ledger) {
        long left = ledger.left();
        assertThat(ledger.amounts().values().stream().mapToLong(amount -> amount).sum())
                .isEqualTo(TOTAL);
        assertThat(left + ledger.right()).isEqualTo(TOTAL);
        return left;
    }

    @Test
    @Tag("deep")
    void nothingCanBeChanged() {
        try (PersistentHeap<Ledger> writer = writer();
                HeapReplica<Ledger> reader = reader()) {
            writer.transaction(ledger -> ledger.notes().add("one"));
            follow(writer, reader);
            Ledger ledger = reader.root();
            refused(() -> ledger.setLeft(1), "its pool's own program changes it");
            refused(() -> ledger.setTitle("other"), "its pool's own program changes it");
            refused(() -> ledger.amounts().put(1L, 1L), "its pool's own program changes it");
            refused(() -> ledger.notes().clear(), "its pool's own program changes it");
            refused(
                    () -> reader.view(inside -> inside.setLeft(1)),
                    "its pool's own program changes it");
            assertThat(reader.<Long, RuntimeException, Ledger>read(Ledger::left)).isZero();
            assertThat(ledger.notes()).containsExactly("one");
            refused(
                    () ->
                            reader.view(
                                    inside -> {
                                        long unused = reader.read(BOUND, BOUND, now -> now.left());
                                    }),
                    "inside of that");
        }
    }

    private static void refused(Runnable call, String words) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE))
                .hasMessageContaining(words);
    }

    @Test
    @Tag("deep")
    void aTypeThatTheWriterAddsIsKnownToTheNextRead() {
        try (PersistentHeap<Ledger> writer = writer();
                HeapReplica<Ledger> reader = reader()) {
            Ledger kept = reader.root();
            House made = writer.create(House.class, house -> house.setStreet("Dam 1"));
            writer.transaction(root -> root.setAsset(made));
            follow(writer, reader);
            refused(kept::asset, "read it again, from the root");
            refused(() -> reader.view(root -> assertThat(kept.left()).isZero()), "read it again");
            Ledger ledger = reader.root();
            assertThat(ledger.asset())
                    .isInstanceOfSatisfying(
                            House.class, house -> assertThat(house.street()).isEqualTo("Dam 1"));
            Asset read = ledger.asset();
            writer.transaction(
                    root -> {
                        root.setAsset(null);
                        writer.delete(made);
                    });
            follow(writer, reader);
            assertThat(ledger.asset()).isNull();
            assertThatThrownBy(read::worth).isInstanceOf(DeletedObjectException.class);
        }
    }

    @Test
    void aNewerProgramReadsWhatAnOlderOneWrites() {
        try (PersistentHeap<?> writer = PersistentHeap.open(pool, options(), older());
                HeapReplica<?> reader = PersistentHeap.openReplica(copy, newer())) {
            writer.transaction(ledger -> amounts(ledger).put(1L, 2L));
            follow(writer, reader);
            Object ledger = reader.root();
            assertThat(of(ledger, "amounts")).isEqualTo(Map.of(1L, 2L));
            assertThat(of(ledger, "grade")).isNull();
            assertThat((Map<?, ?>) of(ledger, "tags")).isEmpty();
            assertThat((Deque<?>) of(ledger, "queue")).isEmpty();
            Deque<Long> queue = queue(ledger);
            refused(() -> queue.push(1L), "its pool's own program changes it");
            assertThat(queue.peek()).isNull();
            SortedMap<Long, Long> ranks = ranks(ledger);
            refused(() -> ranks.tailMap(1L).put(2L, 3L), "its pool's own program changes it");
            assertThat(ranks).isEmpty();
            reader.view(
                    root -> {
                        assertThat((Map<?, ?>) of(root, "tags")).isEmpty();
                        assertThat(queue(root)).isEmpty();
                    });
        }
    }

    @Test
    @Tag("deep")
    void aCollectionThatTheObjectLackedIsTheOneThatItHasOnceItHasIt() {
        PersistentHeap<?> first = PersistentHeap.open(pool, options(), older());
        first.transaction(ledger -> amounts(ledger).put(1L, 2L));
        first.close();
        try (PersistentHeap<?> writer = PersistentHeap.open(pool, options(), newer());
                HeapReplica<?> reader = PersistentHeap.openReplica(copy, newer())) {
            follow(writer, reader);
            Deque<Long> kept = queue(reader.root());
            assertThat(kept).isEmpty();
            writer.transaction(ledger -> queue(ledger).push(3L));
            follow(writer, reader);
            assertThat(kept).containsExactly(3L);
            reader.view(root -> assertThat(kept).containsExactly(3L));
        }
    }

    /** The root gets its new version, which is in another place, while the replica is open. */
    @Test
    @Tag("deep")
    void anOlderProgramReadsWhatANewerOneWritesButForWhatItKept() {
        PersistentHeap<?> first = PersistentHeap.open(pool, options(), older());
        try (HeapReplica<?> reader = PersistentHeap.openReplica(copy, older())) {
            first.transaction(ledger -> amounts(ledger).put(1L, 2L));
            follow(first, reader);
            Object kept = reader.root();
            assertThat(amounts(kept)).isEqualTo(Map.of(1L, 2L));
            first.close();
            try (PersistentHeap<?> writer = PersistentHeap.open(pool, options(), newer())) {
                writer.transaction(ledger -> queue(ledger).push(3L));
                follow(writer, reader);
                assertThat(amounts(reader.root())).isEqualTo(Map.of(1L, 2L));
                assertThatThrownBy(() -> amounts(kept))
                        .hasRootCauseMessage(
                                "The writer of this replica has got other types since the object"
                                        + " was read: read it again, from the root.");
            }
        }
    }

    private static Class<?> older() {
        return new OneProgram(OlderLedger.class, NewerLedger.class).first();
    }

    private static Class<?> newer() {
        return new OneProgram(NewerLedger.class, OlderLedger.class).first();
    }

    @SuppressWarnings("unchecked") // as both declare it
    private static Map<Long, Long> amounts(Object ledger) {
        return (Map<Long, Long>) of(ledger, "amounts");
    }

    @SuppressWarnings("unchecked") // as the newer one declares it
    private static SortedMap<Long, Long> ranks(Object ledger) {
        return (SortedMap<Long, Long>) of(ledger, "ranks");
    }

    @SuppressWarnings("unchecked") // as the newer one declares it
    private static Deque<Long> queue(Object ledger) {
        return (Deque<Long>) of(ledger, "queue");
    }

    private static Object of(Object ledger, String getter) {
        try {
            for (Class<?> type : ledger.getClass().getInterfaces()) {
                Method method = type.getDeclaredMethod(getter);
                method.setAccessible(true);
                return method.invoke(ledger);
            }
            throw new AssertionError("no interface");
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** The classes of a program that has one of two. */
    private static final class OneProgram extends ClassLoader {
        private final Class<?> has;
        private final Class<?> lacks;

        OneProgram(Class<?> has, Class<?> lacks) {
            super(TypedReadersTest.class.getClassLoader());
            this.has = has;
            this.lacks = lacks;
        }

        Class<?> first() {
            try {
                return loadClass(has.getName());
            } catch (ClassNotFoundException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(lacks.getName())) {
                throw new ClassNotFoundException(name);
            }
            if (!name.equals(has.getName())) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? defined(name) : loaded;
        }

        private Class<?> defined(String name) {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A getter by itself is a read, too, and not a look at files that nobody brings up to date. */
    @Test
    @Tag("deep")
    void withoutAnAgentNothingIsRead() {
        HeapReplica<Ledger> reader;
        Ledger ledger;
        PersistentMap<Long, Long> amounts;
        try (PersistentHeap<Ledger> writer = writer()) {
            writer.transaction(root -> root.amounts().put(1L, 1L));
            reader = reader();
            follow(writer, reader);
            ledger = reader.root();
            amounts = ledger.amounts();
            assertThat(amounts.get(1L)).isOne();
        }
        Awaitility.await().atMost(BOUND).until(() -> !machines.isBusy("there"));
        for (ThrowingCallable read :
                List.<ThrowingCallable>of(
                        ledger::left,
                        ledger::title,
                        () -> amounts.get(1L),
                        () -> amounts.getLong(1L, 0),
                        amounts::size,
                        reader::root)) {
            assertThatThrownBy(read).hasMessageContaining("has no agent now");
        }
        reader.close();
    }

    @Test
    @Tag("deep")
    void whatIsNoHeapOrOfAnotherRootIsRefusedAndAClosedOneSaysSo() {
        try (PersistentHeap<Ledger> writer = writer()) {
            refused(
                    () -> PersistentHeap.openReplica(copy, Unrelated.class),
                    "open it with that interface");
            HeapReplica<Ledger> reader = reader();
            Ledger ledger = reader.root();
            reader.close();
            reader.close();
            refused(ledger::left, "closed");
            refused(reader::root, "closed");
            assertThat(writer.root().left()).isZero();
        }
    }
}
