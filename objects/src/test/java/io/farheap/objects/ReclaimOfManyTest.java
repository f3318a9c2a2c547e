package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.type.WellFormed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Of a heap of 10^6 objects a tenth is reclaimed while two programs make objects, link and unlink
 * them: whatever the root reaches is whole afterwards, nothing else is left, and the programs keep
 * most of their rate meanwhile.
 */
@Tag("long")
class ReclaimOfManyTest {
    private static final int OBJECTS = Integer.getInteger("objects", 1_000_000);
    private static final int PER_TRANSACTION = 1000;
    private static final int WRITERS = 2;

    /** Keys of one writer, which alone changes what is under them. */
    private static final int KEYS = 5_000;

    /** One step in so many makes an object: else the pool is full before the end. */
    private static final int STEPS_OF_MADE = 16;

    private static final long ALONE_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final double AIM = 0.8;

    /** Below it the programs wait for the reclaim, whatever else the machine does. */
    private static final double LEAST = 0.4;

    @Persistent
    interface Root {
        PersistentMap<Long, Node> nodes();
    }

    @Persistent
    interface Node {
        long key();

        void key(long value);

        Node next();

        void next(Node value);
    }

    @TempDir Path directory;
    private final long seed = Long.getLong("seed", new Random().nextLong());
    private final LongAdder steps = new LongAdder();
    private final AtomicBoolean isOver = new AtomicBoolean();

    @Test
    void whatIsReachedStaysAndWhoeverWritesGoesOn() {
        Path file = directory.resolve("pool");
        long bytes = (OBJECTS * 512L >> 20) + 512 << 20;
        try (PersistentHeap<Root> heap = PersistentHeap.openOrCreate(file, bytes, Root.class)) {
            fill(heap);
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                long first = (long) i * KEYS;
                Random random = new Random(seed + i);
                writers.add(CompletableFuture.runAsync(() -> write(heap, first, random)));
            }
            long freed = reclaimBeside(heap);
            isOver.set(true);
            writers.forEach(CompletableFuture::join);
            freed += heap.reclaim().objects(); // what changed under way was left to this one
            assertThat(freed).as("seed %d", seed).isGreaterThanOrEqualTo(OBJECTS / 10);
            assertThat(heap.unreachable().objects()).as("seed %d", seed).isZero();
            readAll(heap);
        }
        try (ObjectPool pool = ObjectPool.open(file, null)) {
            assertThat(WellFormed.unreached(pool)).as("seed %d", seed).isEmpty();
        }
    }

    private void fill(PersistentHeap<Root> heap) {
        for (long first = 0; first < OBJECTS; first += PER_TRANSACTION) {
            long from = first;
            heap.transaction(
                    root -> {
                        for (long key = from; key < from + PER_TRANSACTION; key++) {
                            Node node = node(heap, key);
                            if (key % 10 != 9) {
                                root.nodes().put(key, node);
                            }
                        }
                    });
        }
    }

    private static Node node(PersistentHeap<Root> heap, long key) {
        Node node = heap.create(Node.class);
        node.key(key);
        return node;
    }

    /** How many steps a second the writers do. */
    private double rate(Runnable meanwhile) {
        long before = steps.sum();
        long begin = System.nanoTime();
        meanwhile.run();
        return (steps.sum() - before) * 1e9 / (System.nanoTime() - begin);
    }

    private long reclaimBeside(PersistentHeap<Root> heap) {
        double warmUp = rate(ReclaimOfManyTest::awhile);
        double alone = rate(ReclaimOfManyTest::awhile);
        long begin = System.nanoTime();
        long[] freed = new long[1];
        double beside = rate(() -> freed[0] = heap.reclaim().objects());
        System.out.printf(
                "ReclaimOfManyTest: %,d of %,d objects reclaimed in %.1f s beside %d writers, which keep"
                        + " %.2f of %,.0f steps a second (aim %.2f; while they warmed up %,.0f)%n",
                freed[0],
                OBJECTS,
                (System.nanoTime() - begin) / 1e9,
                WRITERS,
                beside / alone,
                alone,
                AIM,
                warmUp);
        assertThat(freed[0]).isPositive();
        assertThat(beside / alone).isGreaterThan(LEAST);
        return freed[0];
    }

    private static void awhile() {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < ALONE_NANOS) {
            Thread.yield();
        }
    }

    private void write(PersistentHeap<Root> heap, long first, Random random) {
        while (!isOver.get()) {
            long key = first + random.nextInt(KEYS);
            long other = first + random.nextInt(KEYS);
            int step = random.nextInt(STEPS_OF_MADE);
            heap.transaction(root -> step(heap, root, step, key, other));
            steps.increment();
        }
    }

    private static void step(PersistentHeap<Root> heap, Root root, int step, long key, long other) {
        Node node = root.nodes().get(key);
        if (step == 0 || node == null) {
            Node made = node(heap, key);
            made.next(node);
            root.nodes().put(key, made);
        } else if (step == 1) {
            Node unused = root.nodes().remove(key);
        } else {
            node.next(step % 2 == 0 ? null : root.nodes().get(other));
        }
    }

    private void readAll(PersistentHeap<Root> heap) {
        long[] read = new long[1];
        heap.view(
                root ->
                        root.nodes()
                                .forEach(
                                        (key, node) -> {
                                            Node next = node.next();
                                            boolean isWhole =
                                                    node.key() == key
                                                            && (next == null
                                                                    || next.key() < OBJECTS);
                                            if (!isWhole) {
                                                throw new AssertionError(
                                                        "key " + key + ", seed " + seed);
                                            }
                                            read[0]++;
                                        }));
        assertThat(read[0]).isGreaterThan(OBJECTS * 9L / 10 - 2L * WRITERS * KEYS);
    }
}
