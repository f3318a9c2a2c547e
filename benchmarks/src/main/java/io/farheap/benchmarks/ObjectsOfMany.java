package io.farheap.benchmarks;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.ReclaimReport;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A heap of many objects: how long it takes to open it before and after a field was added to their
 * type, and what a writer keeps of its rate while reclaim frees a tenth of them.
 */
final class ObjectsOfMany {
    private static final long LEAST_POOL_BYTES = 2L << 30;

    /** An object, an entry of the map and its share of the buckets, with room to spare. */
    private static final long BYTES_OF_OBJECT = 512;

    private static final String BEFORE = "open and close, before";
    private static final String FIRST = "the first after a field was added";
    private static final String AFTER = "open and close, after";
    private static final int OPENINGS = 9;
    private static final int AT_ONCE = 1000;
    private static final long TURN_NANOS = 1_000_000_000L;

    /** A program of before. */
    @Persistent(name = "benchmarks.Shop")
    interface OldShop {
        PersistentMap<Long, OldItem> items();
    }

    /** Of {@link OldShop}. */
    @Persistent(name = "benchmarks.Item")
    interface OldItem {
        long price();

        void price(long value);
    }

    /** The program of after. */
    @Persistent(name = "benchmarks.Shop")
    interface NewShop {
        PersistentMap<Long, NewItem> items();
    }

    /** Of {@link NewShop}: with one more field. */
    @Persistent(name = "benchmarks.Item")
    interface NewItem {
        long price();

        void price(long value);

        long stock();

        void stock(long value);
    }

    private final Path file;
    private final int objects;
    private final long poolBytes;

    private ObjectsOfMany(Path file, int objects) {
        this.file = file;
        this.objects = objects;
        this.poolBytes = Math.max(LEAST_POOL_BYTES, objects * BYTES_OF_OBJECT);
    }

    static void run(Path file, int objects)
            throws InterruptedException, ExecutionException, ClassNotFoundException {
        Figures.circumstances(Site.waiting(), 1);
        ObjectsOfMany many = new ObjectsOfMany(file, objects);
        many.fill();
        many.reclaim();
        many.open();
    }

    private void fill() {
        try (PersistentHeap<OldShop> heap =
                PersistentHeap.openOrCreate(file, poolBytes, OldShop.class)) {
            for (long first = 0; first < objects; first += AT_ONCE) {
                long from = first;
                heap.transaction(
                        shop -> {
                            for (long i = from; i < from + AT_ONCE; i++) {
                                OldItem item = heap.create(OldItem.class);
                                if (i % 10 != 0) {
                                    shop.items().put(i, item);
                                }
                            }
                        });
            }
        }
    }

    private void open() throws ClassNotFoundException {
        Turns turns = new Turns();
        for (int i = -2; i < OPENINGS; i++) {
            long nanos = open(OldShop.class);
            if (i >= 0) {
                turns.add(BEFORE, nanos / 1000.0);
            }
        }
        Class<?> root = new NewProgram().loadClass(NewShop.class.getName());
        for (int i = 0; i < OPENINGS; i++) {
            turns.add(i == 0 ? FIRST : AFTER, open(root) / 1000.0);
        }
        for (String what : new String[] {BEFORE, FIRST, AFTER}) {
            Figures.text("%-46s %9.0f µs", what, turns.median(what));
        }
        turns.ratio("open", AFTER, BEFORE, 1.1);
    }

    private long open(Class<?> root) {
        long begin = System.nanoTime();
        PersistentHeap.openOrCreate(file, poolBytes, root).close();
        return System.nanoTime() - begin;
    }

    /** Has the new types and not the old ones, as the program of after. */
    private static final class NewProgram extends ClassLoader {
        private static final String OF_US = ObjectsOfMany.class.getName();

        NewProgram() {
            super(ObjectsOfMany.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith(OF_US + "$Old")) {
                throw new ClassNotFoundException(name);
            }
            Class<?> known = findLoadedClass(name);
            boolean isOurs = name.equals(OF_US) || name.startsWith(OF_US + "$New");
            return known != null ? known : isOurs ? made(name) : super.loadClass(name, resolve);
        }

        private Class<?> made(String name) throws ClassNotFoundException {
            try (InputStream bytes = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] all = bytes.readAllBytes();
                return defineClass(name, all, 0, all.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private void reclaim() throws InterruptedException, ExecutionException {
        try (ExecutorService executor = Executors.newCachedThreadPool();
                PersistentHeap<OldShop> heap =
                        PersistentHeap.openOrCreate(file, poolBytes, OldShop.class)) {
            OldItem item = heap.read(shop -> shop.items().get(1L));
            AtomicBoolean stop = new AtomicBoolean();
            double warmUp = rate(heap, item, stop);
            double alone = rate(heap, item, stop);
            Future<Double> writer = executor.submit(() -> rate(heap, item, stop, Long.MAX_VALUE));
            long begin = System.nanoTime();
            ReclaimReport report = heap.reclaim();
            double seconds = (System.nanoTime() - begin) / 1e9;
            stop.set(true);
            double beside = writer.get();
            Figures.text(
                    "reclaim of %,d objects: %.2f s; a writer keeps %.2f of its rate; aim 0.80; %,d freed",
                    objects, seconds, beside / alone, report.objects());
            if (warmUp < 0) {
                throw new IllegalStateException("a rate is positive");
            }
        }
    }

    private static double rate(PersistentHeap<OldShop> heap, OldItem item, AtomicBoolean stop) {
        return rate(heap, item, stop, TURN_NANOS);
    }

    private static double rate(
            PersistentHeap<OldShop> heap, OldItem item, AtomicBoolean stop, long nanos) {
        long begin = System.nanoTime();
        long done = 0;
        while (!stop.get() && System.nanoTime() - begin < nanos) {
            long value = done;
            heap.transaction(shop -> item.price(value));
            done++;
        }
        return done * 1e9 / (System.nanoTime() - begin);
    }
}
