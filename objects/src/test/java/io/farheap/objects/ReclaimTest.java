package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReclaimTest {
    @TempDir Path directory;

    @Persistent
    interface Root {
        PersistentMap<Long, Node> nodes();

        Node first();

        void first(Node value);
    }

    @Persistent
    interface Node {
        String text();

        void text(String value);

        Node next();

        void next(Node value);

        Link link();

        void link(Link value);

        PersistentMap<String, Link> links();

        long number();

        void number(long value);
    }

    record Link(Node to, String why) {}

    @Persistent
    interface Spot {
        int at();
    }

    /** So many may be made before the next reclaim: else the pool is full before it ends. */
    private final Semaphore replacements = new Semaphore(0);

    private final PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class);

    @AfterEach
    void close() {
        heap.close();
    }

    private Node node(String text) {
        return heap.create(Node.class, one -> one.text(text + " with a text that needs a block"));
    }

    @Test
    void whatTheRootReachesStays() {
        Node byField = node("field");
        Node byNext = node("next");
        Node byRecord = node("record");
        Node byMap = node("map");
        Node byRecordInMap = node("record in map");
        heap.transaction(
                root -> {
                    root.first(byField);
                    byField.next(byNext);
                    byNext.link(new Link(byRecord, "a reason that needs a block"));
                    root.nodes().put(1L, byMap);
                    byMap.links().put("one", new Link(byRecordInMap, "short"));
                    byRecordInMap.next(byField);
                });
        long before = objects();
        assertThat(heap.unreachable().objects()).isZero();
        assertThat(heap.reclaim().objects()).isZero();
        assertThat(objects()).isEqualTo(before);
        assertThat(heap.root().nodes().get(1L).links().get("one").to().next().next().link().to())
                .isEqualTo(byRecord);
    }

    @Test
    void whatItDoesNotReachGoesWithAllThatItOwns() {
        long before = objects();
        Node lost = node("lost");
        lost.next(node("its next"));
        lost.next().next(lost);
        lost.links()
                .put("a key that is longer than a slot", new Link(lost, "and a reason as long"));
        ReclaimReport planned = heap.unreachable();
        assertThat(objects()).as("counted, and not freed").isGreaterThan(before + 4);
        assertThat(planned.isDone()).isFalse();
        assertThat(planned.types())
                .filteredOn(one -> one.type().equals(Node.class.getName()))
                .singleElement()
                .satisfies(one -> assertThat(one.objects()).isEqualTo(2));
        ReclaimReport done = heap.reclaim();
        assertThat(done.types()).isEqualTo(planned.types());
        assertThat(objects()).isEqualTo(before);
        assertThat(heap.unreachable().objects()).isZero();
    }

    @Test
    void aDeletedPlaceStaysAsLongAsSomethingRefersToIt() {
        Node deleted = node("deleted");
        heap.root().first(deleted);
        heap.delete(deleted);
        heap.reclaim(); // the headers of its collections
        long before = objects();
        heap.reclaim();
        assertThat(objects()).isEqualTo(before);
        assertThatThrownBy(() -> heap.root().first()).isInstanceOf(DeletedObjectException.class);
        heap.root().first(null);
        heap.reclaim();
        assertThat(objects()).isEqualTo(before - 1);
    }

    @Test
    void whatWasDeletedIsNotReferredToAnyMore() {
        Node deleted = node("deleted");
        Node other = node("other");
        heap.delete(deleted);
        assertThatThrownBy(() -> heap.root().first(deleted))
                .isInstanceOf(DeletedObjectException.class);
        assertThatThrownBy(() -> other.link(new Link(deleted, "why")))
                .isInstanceOf(DeletedObjectException.class);
        assertThatThrownBy(() -> heap.root().nodes().put(1L, deleted))
                .isInstanceOf(DeletedObjectException.class);
        assertThat(heap.root().nodes()).isEmpty();
    }

    @Test
    void whoRefersToAnObjectConflictsWithWhoDeletesIt() {
        Node node = node("one");
        AtomicBoolean isDeleted = new AtomicBoolean();
        assertThatThrownBy(
                        () ->
                                heap.transaction(
                                        root -> {
                                            root.first(node);
                                            if (!isDeleted.getAndSet(true)) {
                                                CompletableFuture.runAsync(() -> heap.delete(node))
                                                        .join();
                                            }
                                        }))
                .isInstanceOf(DeletedObjectException.class);
        assertThat(heap.root().first()).isNull();
    }

    @Test
    void itIsRefusedInsideOfATransactionOrARead() {
        assertThatThrownBy(() -> heap.transaction(root -> heap.reclaim()))
                .hasMessageContaining("inside a transaction or read");
        assertThatThrownBy(() -> heap.view(root -> heap.unreachable()))
                .hasMessageContaining("inside a transaction or read");
    }

    @Test
    void nothingStaysForWhatItSharesAStripeWith() {
        Path file = directory.resolve("pool");
        int perTransaction = 1000;
        int more = 300 * perTransaction; // than there are stripes
        try (PersistentHeap<Root> large =
                PersistentHeap.openOrCreate(file, 128 << 20, Root.class, Spot.class)) {
            for (int i = 0; i < more; i += perTransaction) {
                large.transaction(
                        root -> {
                            for (int j = 0; j < perTransaction; j++) {
                                Spot unused = large.create(Spot.class);
                            }
                        });
            }
            long before = count(large.pool());
            assertThat(large.reclaim().objects()).isEqualTo(more);
            assertThat(count(large.pool())).isEqualTo(before - more);
        }
    }

    @Test
    void aMovedObjectGoesWithItsFields() throws Exception {
        String types =
                """
                @Persistent interface Root { Node node(); void node(Node value); }
                @Persistent interface Node { String text(); void text(String value); %s }
                """;
        Path file = directory.resolve("pool");
        new ProgramVersion(
                        directory,
                        String.format(types, ""),
                        "root.node(heap.create(Node.class)); return null;")
                .run(file);
        String second = String.format(types, "long more(); void more(long value);");
        new ProgramVersion(directory, second, "root.node().more(7); return heap.reclaim();")
                .run(file);
        long before = objects(file);
        Object report =
                new ProgramVersion(
                                directory,
                                second,
                                "long seven = root.node().more(); root.node(null); return"
                                        + " heap.reclaim().objects() + seven;")
                        .run(file);
        assertThat(report).isEqualTo(2 + 7L);
        assertThat(objects(file)).isEqualTo(before - 2);
    }

    @Test
    void whatTransactionsMakeAndLinkMeanwhileIsSafe() throws Exception {
        long seed = new Random().nextLong();
        for (long i = 0; i < 200; i++) {
            replace(i);
        }
        AtomicBoolean isOver = new AtomicBoolean();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Random random = new Random(seed + i);
            writers.add(CompletableFuture.runAsync(() -> replaceUntil(isOver, random)));
        }
        long freed = 0;
        try {
            for (int i = 0; i < 30; i++) {
                replacements.release(150);
                freed += heap.reclaim().objects();
            }
        } finally {
            isOver.set(true);
            replacements.release(2);
        }
        writers.forEach(CompletableFuture::join);
        assertThat(freed).as("seed %d", seed).isPositive();
        heap.view(
                root ->
                        root.nodes()
                                .forEach(
                                        (key, node) ->
                                                assertThat(node.next().text())
                                                        .as("seed %d, node %d", seed, key)
                                                        .startsWith("next of " + key)));
        heap.reclaim();
        assertThat(heap.unreachable().objects()).isZero();
    }

    /** Replaces nodes by new ones: what was there before is not reached any more. */
    private void replaceUntil(AtomicBoolean isOver, Random random) {
        while (!isOver.get()) {
            replacements.acquireUninterruptibly();
            replace(random.nextInt(200));
        }
    }

    private void replace(long key) {
        heap.transaction(
                root -> {
                    Node made = node("node " + key);
                    made.next(node("next of " + key));
                    root.nodes().put(key, made);
                });
    }

    private long objects() {
        return count(heap.pool());
    }

    private static long objects(Path file) {
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            return count(pool);
        }
    }

    private static long count(ObjectPool pool) {
        long count = 0;
        for (Ref object : pool.objects()) {
            count += object.isNull() ? 0 : 1;
        }
        return count;
    }
}
