package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.LongType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that update one map of longs: two beside one, as two threads of plain arithmetic are
 * beside one; and a writer beside a read of all entries, again and again, in turns with the writer
 * alone and with the writer beside the same read of another heap, which shares the machine with it
 * and nothing else.
 */
final class ObjectsThreads implements AutoCloseable {
    private static final int TURNS = 9;
    private static final int BATCH = 100;
    private static final long TURN_NANOS = 300_000_000L;

    private final LongMap mine;
    private final LongMap other;
    private final int entries;
    private final ExecutorService executor = Executors.newCachedThreadPool();

    /** How often the body of a read of all began. */
    private final AtomicLong bodies = new AtomicLong();

    /** Does a batch of operations of one of the threads. */
    private interface Batch {
        void run(int thread, long first);
    }

    /** A map of longs in a heap of its own. */
    private record LongMap(ObjectPool pool, HeapTransactions heap, PersistentMap<Long, Long> map) {
        static LongMap create(Path file, int entries) {
            CollectionType<PersistentMap<Long, Long>> type =
                    CollectionType.map(LongType.LONG, LongType.LONG);
            ObjectPool pool =
                    ObjectPool.at(file).layout("objects").size(ObjectsMapSides.POOL_BYTES).create();
            HeapTransactions heap = new HeapTransactions(pool);
            PersistentMap<Long, Long> map = type.open(heap, heap.transaction(type::create));
            for (int i = 0; i < entries; i++) {
                boolean unused = map.putLong(i, i);
            }
            return new LongMap(pool, heap, map);
        }

        void close() {
            heap.close();
            pool.close();
        }
    }

    private ObjectsThreads(Path file, int entries) {
        this.entries = entries;
        mine = LongMap.create(file, entries);
        other = LongMap.create(file.resolveSibling(file.getFileName() + "-other"), entries);
    }

    static void run(Path file, int entries) throws InterruptedException, ExecutionException {
        Figures.circumstances(Site.waiting(), 2);
        try (ObjectsThreads threads = new ObjectsThreads(file, entries)) {
            threads.twoBesideOne();
            threads.writerBesideRead();
        }
    }

    private void update(int thread, long first) {
        for (long i = first; i < first + BATCH; i++) {
            // Each thread has every second key.
            long key = (i * 7919 % entries & -2) + thread;
            boolean unused = mine.map.putLong(key, i);
        }
    }

    private void calculate(int thread, long first) {
        long value = first + thread;
        for (int i = 0; i < 50 * BATCH; i++) {
            value = value * 0x9E37_79B9_7F4A_7C15L + 1;
        }
        if (value == 0) { // so that it must be calculated
            throw new IllegalStateException("the numbers ended at 0");
        }
    }

    private void twoBesideOne() throws InterruptedException, ExecutionException {
        Turns turns = new Turns();
        for (int turn = -2; turn < TURNS; turn++) {
            double[] rates = {
                rate(1, this::calculate),
                rate(2, this::calculate),
                rate(1, this::update),
                rate(2, this::update)
            };
            if (turn >= 0) {
                turns.add("arithmetic", rates[1] / rates[0]);
                turns.add("updates", rates[3] / rates[2]);
            }
        }
        double machine = turns.median("arithmetic");
        double ours = turns.median("updates");
        Figures.text(
                "2 threads on disjoint keys do %.2f of 1; plain arithmetic %.2f; aim: %.2f",
                ours, machine, 1.7 / 2 * machine);
    }

    /** Batches per second of so many threads. */
    private double rate(int threads, Batch batch) throws InterruptedException, ExecutionException {
        List<Callable<Long>> shares = new ArrayList<>();
        long begin = System.nanoTime();
        for (int thread = 0; thread < threads; thread++) {
            int mine = thread;
            shares.add(
                    () -> {
                        long done = 0;
                        while (System.nanoTime() - begin < TURN_NANOS) {
                            batch.run(mine, done * BATCH);
                            done++;
                        }
                        return done;
                    });
        }
        long batches = 0;
        for (Future<Long> share : executor.invokeAll(shares)) {
            batches += share.get();
        }
        return batches * 1e9 / (System.nanoTime() - begin);
    }

    private void writerBesideRead() throws InterruptedException, ExecutionException {
        Turns turns = new Turns();
        long reads = 0;
        long begun = 0;
        for (int turn = -2; turn < TURNS; turn++) {
            double alone = rate(1, this::update);
            double[] besideOther = rateBeside(other);
            bodies.set(0);
            double[] beside = rateBeside(mine);
            reads += (long) beside[1];
            begun += bodies.get();
            if (turn >= 0) {
                turns.add("beside", beside[0] / alone);
                turns.add("beside other", besideOther[0] / alone);
            }
        }
        Figures.text(
                "a writer beside a read of all keeps %.2f of its rate; aim 0.80; beside the same read"
                        + " of another heap %.2f",
                turns.median("beside"), turns.median("beside other"));
        Figures.text("%d reads of %,d entries, %d began again", reads, entries, begun - reads);
    }

    /** The rate of a writer beside reads of all of a map, and how many reads there were. */
    private double[] rateBeside(LongMap read) throws InterruptedException, ExecutionException {
        AtomicBoolean stop = new AtomicBoolean();
        Future<Long> reader = executor.submit(() -> readAll(read, stop));
        double rate = rate(1, this::update);
        stop.set(true);
        return new double[] {rate, reader.get()};
    }

    private long readAll(LongMap of, AtomicBoolean stop) {
        long reads = 0;
        do {
            long count =
                    of.heap.read(
                            tx -> {
                                bodies.incrementAndGet();
                                long met = 0;
                                for (Long unused : of.map.values()) {
                                    met++;
                                }
                                return met;
                            });
            if (count != entries) {
                throw new IllegalStateException("a read met " + count + " of " + entries);
            }
            reads++;
        } while (!stop.get());
        return reads;
    }

    @Override
    public void close() {
        executor.shutdownNow();
        mine.close();
        other.close();
    }
}
