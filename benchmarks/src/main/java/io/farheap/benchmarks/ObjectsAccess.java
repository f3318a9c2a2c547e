package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.TransactionBody;
import io.farheap.base.Ref;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * Fields of typed objects beside those that the raw API reads and writes by offsets, in turns: a
 * getter in a read of many, a getter by itself, a transaction of four setters; and their garbage.
 */
final class ObjectsAccess implements AutoCloseable {
    private static final String TYPED = "typed object";
    private static final String RAW = "raw API";
    private static final long POOL_BYTES = 256L << 20;
    private static final int BATCH = 200;
    private static final int BATCHES = 50;
    private static final int TURNS = 100;
    private static final int STRIDE = 7919;

    /** What all others are found from. */
    @Persistent
    interface Root {
        Cell first();

        void first(Cell value);
    }

    /** Four fields. */
    @Persistent
    interface Cell {
        long a();

        void a(long value);

        long b();

        void b(long value);

        long c();

        void c(long value);

        long d();

        void d(long value);
    }

    /** Does so many operations from the one with a number on. */
    private interface Batch {
        void run(long first);
    }

    private final PersistentHeap<Root> heap;
    private final ObjectPool pool;
    private final Cell[] cells;
    private final long[] places;
    private final TransactionBody<RuntimeException> setFour;
    private long sum;
    private int place;

    private ObjectsAccess(Path directory, int objects) {
        heap =
                PersistentHeap.openOrCreate(
                        directory.resolve("cells"), POOL_BYTES, Root.class, Cell.class);
        pool =
                ObjectPool.at(directory.resolve("raw-cells"))
                        .layout("cells")
                        .size(POOL_BYTES)
                        .create();
        cells = new Cell[objects];
        places = new long[objects];
        for (int i = 0; i < objects; i++) {
            cells[i] = heap.create(Cell.class);
            int at = i;
            pool.transaction(
                    tx -> {
                        places[at] = tx.raw().allocate(5L * Long.BYTES, 1, true);
                    });
        }
        setFour =
                tx -> {
                    for (int field = 1; field <= 4; field++) {
                        tx.raw().setLong(places[place], (long) field * Long.BYTES, field);
                    }
                };
    }

    static void run(Path directory, int objects) {
        Figures.circumstances(Site.waiting(), 1);
        try (ObjectsAccess access = new ObjectsAccess(directory, objects)) {
            access.printSizes();
            access.beside("getter in a read of many", 0.5, access::getInRead, access::getRaw);
            access.beside("getter by itself", 1, access::getAlone, access::getRaw);
            access.beside("transaction of 4 setters", 1.3, access::setTyped, access::setRaw);
        }
    }

    /** So that nobody takes what fits into a processor's caches for what does not. */
    private void printSizes() {
        Figures.text(
                "%,d objects on each side; in use: %d MiB typed, %d MiB raw",
                cells.length, mebibytesIn(heap.pool()), mebibytesIn(pool));
    }

    private static long mebibytesIn(ObjectPool of) {
        long bytes = 0;
        for (Ref object : of.objects()) {
            bytes += of.usableSize(object);
        }
        return bytes >> 20;
    }

    private int at(long i) {
        return (int) (i * STRIDE % cells.length);
    }

    private void getInRead(long first) {
        sum +=
                heap.read(
                        root -> {
                            long read = 0;
                            for (long i = first; i < first + BATCH; i++) {
                                read += cells[at(i)].b();
                            }
                            return read;
                        });
    }

    private void getAlone(long first) {
        for (long i = first; i < first + BATCH; i++) {
            sum += cells[at(i)].b();
        }
    }

    private void getRaw(long first) {
        for (long i = first; i < first + BATCH; i++) {
            sum += pool.raw().getLong(places[at(i)], 2L * Long.BYTES);
        }
    }

    private void setTyped(long first) {
        for (long i = first; i < first + BATCH; i++) {
            Cell cell = cells[at(i)];
            heap.transaction(
                    root -> {
                        cell.a(1);
                        cell.b(2);
                        cell.c(3);
                        cell.d(4);
                    });
        }
    }

    private void setRaw(long first) {
        for (long i = first; i < first + BATCH; i++) {
            place = at(i);
            pool.transaction(setFour);
        }
    }

    private void beside(String what, double aim, Batch typed, Batch raw) {
        Turns turns = new Turns();
        long[] garbage = new long[2];
        for (int turn = -TURNS / 4; turn < TURNS; turn++) {
            long first = (turn + TURNS) * (long) BATCH * BATCHES;
            boolean counts = turn >= 0;
            garbage[0] += turn(typed, first, nanos -> add(turns, counts, TYPED, nanos), counts);
            garbage[1] += turn(raw, first, nanos -> add(turns, counts, RAW, nanos), counts);
        }
        turns.print(what);
        turns.ratio(what, TYPED, RAW, aim);
        double operations = (double) TURNS * BATCHES * BATCH;
        Figures.text(
                "%-46s %9.1f B typed, %.1f B raw",
                what + ": garbage", garbage[0] / operations, garbage[1] / operations);
        if (sum == -1) {
            throw new IllegalStateException("the sums are of no use but to be made");
        }
    }

    private static void add(Turns turns, boolean counts, String side, long nanos) {
        if (counts) {
            turns.add(side, nanos / (double) BATCH);
        }
    }

    /** Returns the garbage, of the turns that count. */
    private static long turn(Batch batch, long first, LongConsumer nanosOfBatch, boolean counts) {
        long garbage = 0;
        for (int i = 0; i < BATCHES; i++) {
            long before = Figures.allocatedByThisThread();
            long begin = System.nanoTime();
            batch.run(first + (long) i * BATCH);
            long nanos = System.nanoTime() - begin;
            garbage += Figures.allocatedByThisThread() - before;
            nanosOfBatch.accept(nanos);
        }
        return counts ? garbage : 0;
    }

    @Override
    public void close() {
        heap.close();
        pool.close();
    }
}
