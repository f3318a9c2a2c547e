package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.LongType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Persistent maps of 8 B keys and 64 B values beside the raw API's map, libpmemobj's in C, the
 * JDK's in memory, LMDB and RocksDB, in turns over the same keys; one thread. Then the garbage of
 * the methods without boxes.
 */
final class ObjectsMaps {
    static final String HASHED = "PersistentMap";
    static final String SORTED = "PersistentSortedMap";
    private static final String RAW = "map on the raw API";
    private static final String C = "libpmemobj in C";
    private static final String IN_MEMORY = "ConcurrentHashMap";
    private static final String LMDB = "LMDB, sync";
    private static final String ROCKS = "RocksDB, sync";

    private static final int BATCH = 100;
    private static final int BATCHES = 200;
    private static final int WARM_UP = 40_000;
    private static final int SCANS = 7;

    /** Has no factor in common with the numbers of entries: every entry is met once. */
    private static final int STRIDE = 435_761;

    private final int entries;
    private final Map<String, KeyedSide> sides = new LinkedHashMap<>();
    private final Map<KeyedOperation, Turns> turns = new EnumMap<>(KeyedOperation.class);

    private ObjectsMaps(int entries) {
        this.entries = entries;
    }

    static void run(Site site, int entries) throws IOException, InterruptedException {
        Path directory = Files.createDirectories(site.directory().resolve("maps"));
        ObjectsMaps maps = new ObjectsMaps(entries);
        Figures.circumstances(Site.waiting(), 1);
        try {
            maps.open(site, directory);
            maps.measure();
        } finally {
            maps.sides.values().forEach(KeyedSide::close);
        }
        garbage(directory.resolve("garbage"), Math.min(entries, 100_000));
    }

    private void open(Site site, Path directory) throws IOException, InterruptedException {
        sides.put(HASHED, ObjectsMapSides.OfMap.hashed(directory.resolve("map")));
        sides.put(SORTED, ObjectsMapSides.OfMap.sorted(directory.resolve("sorted")));
        sides.put(RAW, new ObjectsMapSides.OfRaw(directory.resolve("raw"), entries));
        Optional<NativeProgram> program = NativeProgram.compile(site, "map");
        if (program.isPresent()) {
            sides.put(C, new NativeMap(program.get(), directory.resolve("native"), entries));
        } else {
            Figures.text(NativeProgram.MISSING);
        }
        sides.put(IN_MEMORY, ObjectsMapSides.OfMap.inMemory());
        sides.put(
                LMDB, new ObjectsMapSides.OfLmdb(Files.createDirectory(directory.resolve("lmdb"))));
        sides.put(ROCKS, new ObjectsMapSides.OfRocks(directory.resolve("rocks")));
    }

    private void measure() {
        for (KeyedSide side : sides.values()) {
            for (KeyedOperation operation : KeyedOperation.values()) {
                side.take(
                        new KeyedTurn(operation, 0, 1, Math.min(WARM_UP, entries), 1, entries),
                        nanos -> {});
            }
        }
        for (KeyedOperation operation : KeyedOperation.values()) {
            Turns measured = inTurns(operation);
            measured.print(operation.word() + " of " + String.format(Locale.ROOT, "%,d", entries));
            turns.put(operation, measured);
            if (operation == KeyedOperation.GET) {
                scans();
            }
        }
        ratios();
    }

    private Turns inTurns(KeyedOperation operation) {
        int stride = operation.isScattered() ? STRIDE : 1;
        int batches = Math.min(BATCHES, entries / BATCH);
        Turns measured = new Turns();
        for (int first = 0; first < entries; first += batches * BATCH) {
            KeyedTurn turn = new KeyedTurn(operation, first, batches, BATCH, stride, entries);
            sides.forEach(
                    (name, side) ->
                            side.take(turn, nanos -> measured.add(name, nanos / (double) BATCH)));
        }
        return measured;
    }

    private void scans() {
        Turns measured = new Turns();
        for (int i = -SCANS; i < SCANS; i++) {
            for (String name : new String[] {SORTED, LMDB}) {
                long begin = System.nanoTime();
                if (sides.get(name).scan() != entries) {
                    throw new IllegalStateException(name + " lost an entry");
                }
                if (i >= 0) {
                    measured.add(name, (System.nanoTime() - begin) / (double) entries);
                }
            }
        }
        measured.print("scan, each entry");
        measured.ratio("sorted map, scan", SORTED, LMDB, 1);
    }

    private void ratios() {
        Turns get = turns.get(KeyedOperation.GET);
        get.ratio("map, get", HASHED, C, 1);
        get.ratio("map, get", HASHED, RAW, 1);
        get.ratio("map, get", HASHED, IN_MEMORY);
        get.ratio("sorted map, get", SORTED, LMDB, 1);
        for (KeyedOperation change : KeyedOperation.values()) {
            if (change != KeyedOperation.GET) {
                turns.get(change).ratio("map, " + change.word(), HASHED, RAW, 1.3);
                turns.get(change).ratio("map, " + change.word(), HASHED, LMDB, 1);
                turns.get(change).ratio("map, " + change.word(), HASHED, ROCKS, 1);
            }
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
                    boolean unused = map.putLong(i * KeyedSide.SPREAD, i);
                }
                long puts = Figures.allocatedByThisThread();
                long sum = 0;
                for (int i = 0; i < entries; i++) {
                    sum += map.getLong(i * KeyedSide.SPREAD, 0);
                }
                long gets = Figures.allocatedByThisThread();
                if (sum != (entries - 1L) * entries / 2) {
                    throw new IllegalStateException("a map lost an entry");
                }
                if (round == 2) {
                    Figures.text(
                            "%.1f bytes of garbage per put, %.1f per get, of longs; aim 0",
                            (puts - before) / (double) entries, (gets - puts) / (double) entries);
                }
            }
        }
    }
}
