package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.RawReads;
import io.farheap.base.Ref;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Loads of a field outside of transactions, each checked against a live object, beside the same
 * loads of the same file through a mapping of the JDK's, which knows no objects; in turns. First of
 * one object again and again, then of many in no order.
 */
final class CheckedReads implements AutoCloseable {
    private static final long POOL_BYTES = 128L << 20;
    private static final long OBJECT_BYTES = 40;
    private static final long FIELD = 16;
    private static final int BATCH = 10_000;
    private static final int STRIDE = 7919;
    private static final String PLAIN = "mapped file";
    private static final String RAW = "raw API";
    private static final String BY_REF = "by Ref";

    private final ObjectPool pool;
    private final RawReads raw;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment file;
    private final Ref[] objects;
    private final long[] places;
    private long sum;

    private CheckedReads(Path path, int count) throws IOException {
        pool = ObjectPool.at(path).layout("reads").size(POOL_BYTES).create();
        raw = pool.raw();
        objects = new Ref[count];
        places = new long[count];
        for (int i = 0; i < count; i++) {
            objects[i] = pool.compute(tx -> tx.allocate(OBJECT_BYTES, 1));
            places[i] = objects[i].offset();
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            file = channel.map(FileChannel.MapMode.READ_ONLY, 0, POOL_BYTES, arena);
        }
    }

    static void run(Path directory, int batches) throws IOException {
        Figures.circumstances(Site.waiting(), 1);
        int many = 1 << 16;
        try (CheckedReads reads = new CheckedReads(directory.resolve("reads"), many)) {
            reads.beside("a long of one object", 0, batches);
            reads.beside("a long of 65,536 objects, in no order", many - 1, batches);
        }
    }

    private void beside(String what, int mask, int batches) {
        Turns turns = new Turns();
        for (int batch = -batches / 4; batch < batches; batch++) {
            int first = batch * BATCH;
            boolean counts = batch >= 0;
            add(turns, counts, PLAIN, () -> plain(first, mask));
            add(turns, counts, RAW, () -> raw(first, mask));
            add(turns, counts, BY_REF, () -> byRef(first, mask));
        }
        turns.print(what);
        if (sum == -1) {
            throw new IllegalStateException("the sums are of no use but to be made");
        }
    }

    private static void add(Turns turns, boolean counts, String side, Runnable loads) {
        long begin = System.nanoTime();
        loads.run();
        long nanos = System.nanoTime() - begin;
        if (counts) {
            turns.add(side, nanos / (double) BATCH);
        }
    }

    private static int at(int i, int mask) {
        return i * STRIDE & mask;
    }

    private void plain(int first, int mask) {
        long read = 0;
        for (int i = first; i < first + BATCH; i++) {
            read += file.get(ValueLayout.JAVA_LONG_UNALIGNED, places[at(i, mask)] + FIELD);
        }
        sum += read;
    }

    private void raw(int first, int mask) {
        long read = 0;
        for (int i = first; i < first + BATCH; i++) {
            read += raw.getLong(places[at(i, mask)], FIELD);
        }
        sum += read;
    }

    private void byRef(int first, int mask) {
        long read = 0;
        for (int i = first; i < first + BATCH; i++) {
            read += pool.getLong(objects[at(i, mask)], FIELD);
        }
        sum += read;
    }

    @Override
    public void close() {
        arena.close();
        pool.close();
    }
}
