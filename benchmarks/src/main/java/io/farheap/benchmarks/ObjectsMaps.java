package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.LongType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.HdrHistogram.Histogram;

/**
 * Persistent maps of 8 B keys and 64 B values beside the raw API's map, libpmemobj's in C, the
 * JDK's in memory, LMDB and RocksDB, one after the other over the same keys; one thread. Then the
 * garbage of the methods without boxes.
 */
final class ObjectsMaps {
    private static final long SPREAD = 0xD1342543DE82EF95L;
    private static final int WARM_UP = 20_000;

    private final int entries;
    private final byte[] value = new byte[FlatBytes.SIZE];

    private ObjectsMaps(int entries) {
        this.entries = entries;
    }

    static void run(Site site, int entries) throws IOException, InterruptedException {
        Path directory = Files.createDirectories(site.directory().resolve("objects"));
        ObjectsMaps maps = new ObjectsMaps(entries);
        Figures.circumstances(Site.waiting(), 1);
        maps.all("PersistentMap", ObjectsMapSides.OfMap.hashed(directory.resolve("map")), false);
        maps.all(
                "PersistentSortedMap",
                ObjectsMapSides.OfMap.sorted(directory.resolve("sorted")),
                true);
        maps.all(
                "map on the raw API",
                new ObjectsMapSides.OfRaw(directory.resolve("raw"), entries),
                false);
        maps.ofLibpmemobj(site);
        maps.all("ConcurrentHashMap", ObjectsMapSides.OfMap.inMemory(), false);
        maps.all(
                "LMDB",
                new ObjectsMapSides.OfLmdb(Files.createDirectory(directory.resolve("lmdb"))),
                true);
        maps.all("RocksDB, sync", new ObjectsMapSides.OfRocks(directory.resolve("rocks")), false);
        garbage(directory.resolve("garbage"), Math.min(entries, 100_000));
    }

    private void all(String name, KeyedSide side, boolean sorted) {
        try (side) {
            for (int i = 0; i < Math.min(WARM_UP, entries); i++) {
                check(put(side, i, (byte) 0));
                check(side.hasValue(key(i), (byte) 0));
                check(side.remove(key(i)));
            }
            row(name, "put", i -> put(side, i, (byte) 1));
            row(name, "update", i -> put(side, i, (byte) 2));
            row(name, "get", i -> side.hasValue(key(i), (byte) 2));
            if (sorted) {
                for (int warmUp = 0; warmUp < 3; warmUp++) {
                    check(side.scan() == entries);
                }
                long begin = System.nanoTime();
                check(side.scan() == entries);
                Figures.text(
                        "%-58s %8.1f ns for each entry",
                        name + ": scan of all", (System.nanoTime() - begin) / (double) entries);
            }
            row(name, "remove", i -> side.remove(key(i)));
        }
    }

    private static long key(long i) {
        return i * SPREAD;
    }

    private boolean put(KeyedSide side, long i, byte first) {
        value[0] = first;
        side.put(key(i), value);
        return true;
    }

    private static void check(boolean isRight) {
        if (!isRight) {
            throw new IllegalStateException("a map lost an entry");
        }
    }

    private void row(String name, String operation, LongPredicate once) {
        Histogram times = Figures.histogram();
        for (int i = 0; i < entries; i++) {
            long begin = System.nanoTime();
            boolean isRight = once.test(i);
            times.recordValue(System.nanoTime() - begin);
            check(isRight);
        }
        Figures.alone(label(name, operation), times);
    }

    private String label(String name, String operation) {
        return String.format(Locale.ROOT, "%s: %s of %,d entries", name, operation, entries);
    }

    private void ofLibpmemobj(Site site) throws IOException, InterruptedException {
        Optional<NativeProgram> program = NativeProgram.compile(site, "map");
        if (program.isEmpty()) {
            Figures.text(NativeProgram.MISSING);
            return;
        }
        String[] operations = {"put", "update", "get", "remove"};
        Histogram[] times = new Histogram[operations.length];
        for (int i = 0; i < times.length; i++) {
            times[i] = Figures.histogram();
        }
        program.get()
                .run(
                        line -> {
                            String[] words = line.split(" ");
                            for (int i = 0; i < operations.length; i++) {
                                if (operations[i].equals(words[0])) {
                                    times[i].recordValue(Long.parseLong(words[1]));
                                }
                            }
                        },
                        site.directory().resolve("objects.native"),
                        1,
                        entries,
                        0,
                        1);
        for (int i = 0; i < times.length; i++) {
            Figures.alone(label("libpmemobj in C", operations[i]), times[i]);
        }
    }

    private static void garbage(Path file, int entries) {
        CollectionType<PersistentMap<Long, Long>> type =
                CollectionType.map(LongType.LONG, LongType.LONG);
        try (ObjectPool pool =
                        ObjectPool.at(file)
                                .layout("objects")
                                .size(ObjectsMapSides.POOL_BYTES)
                                .create();
                HeapTransactions heap = new HeapTransactions(pool)) {
            PersistentMap<Long, Long> map = type.open(heap, heap.transaction(type::create));
            for (int round = 0; round < 3; round++) {
                long before = Figures.allocatedByThisThread();
                for (int i = 0; i < entries; i++) {
                    boolean unused = map.putLong(key(i), i);
                }
                long puts = Figures.allocatedByThisThread();
                long sum = 0;
                for (int i = 0; i < entries; i++) {
                    sum += map.getLong(key(i), 0);
                }
                long gets = Figures.allocatedByThisThread();
                check(sum == (entries - 1L) * entries / 2);
                if (round == 2) {
                    Figures.text(
                            "%.1f bytes of garbage per put, %.1f per get, of longs",
                            (puts - before) / (double) entries, (gets - puts) / (double) entries);
                }
            }
        }
    }
}
