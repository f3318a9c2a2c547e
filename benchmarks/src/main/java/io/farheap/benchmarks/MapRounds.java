package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Rounds of put, update, get and remove of every entry of a {@link RawHashMap}, in turns with the
 * same rounds of {@code map.c}.
 */
final class MapRounds {
    private static final int WARM_UP = 3;
    private static final int ROUNDS = 3;
    private static final long SPREAD = 0xD1342543DE82EF95L;
    private static final int[] THREADS = {1, 2};

    private enum Operation {
        PUT,
        UPDATE,
        GET,
        REMOVE;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Site site;
    private final Optional<NativeProgram> program;
    private final int entries;
    private final ExecutorService executor;

    private MapRounds(
            Site site, Optional<NativeProgram> program, int entries, ExecutorService executor) {
        this.site = site;
        this.program = program;
        this.entries = entries;
        this.executor = executor;
    }

    static void run(Site site, int entries)
            throws IOException, InterruptedException, ExecutionException {
        Optional<NativeProgram> program = NativeProgram.compile(site, "map");
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            MapRounds rounds = new MapRounds(site, program, entries, executor);
            for (boolean replica : new boolean[] {false, true}) {
                for (int threads : THREADS) {
                    rounds.beside(replica, threads);
                }
            }
        }
        if (program.isEmpty()) {
            Figures.text(NativeProgram.MISSING);
        }
    }

    private void beside(boolean replica, int threads)
            throws InterruptedException, ExecutionException {
        Histogram[] ours = histograms();
        Histogram[] theirs = histograms();
        try (ObjectPool pool = site.openLocal(replica)) {
            RawHashMap map = new RawHashMap(pool, entries);
            for (int round = -WARM_UP; round < ROUNDS; round++) {
                Histogram[] kept = round < 0 ? histograms() : ours;
                for (Operation operation : Operation.values()) {
                    kept[operation.ordinal()].add(all(operation, map, threads));
                }
                if (round >= 0 && program.isPresent()) {
                    program.get()
                            .run(
                                    line -> record(line, theirs),
                                    site.nativePool(replica),
                                    threads,
                                    entries,
                                    1,
                                    1);
                }
            }
        }
        Figures.circumstances(Site.waiting(), threads);
        for (Operation operation : Operation.values()) {
            Histogram our = ours[operation.ordinal()];
            Histogram their = theirs[operation.ordinal()];
            String what =
                    String.format(
                            Locale.ROOT,
                            "%s of %,d entries, %d thread%s%s",
                            operation.word(),
                            entries,
                            threads,
                            threads == 1 ? "" : "s",
                            replica ? ", local replica" : "");
            if (program.isPresent()) {
                Figures.beside(what, our, their);
            } else {
                Figures.alone(what, our);
            }
        }
    }

    private static Histogram[] histograms() {
        Histogram[] histograms = new Histogram[Operation.values().length];
        for (int i = 0; i < histograms.length; i++) {
            histograms[i] = Figures.histogram();
        }
        return histograms;
    }

    private static void record(String line, Histogram[] theirs) {
        String[] words = line.split(" ");
        Operation operation = Operation.valueOf(words[0].toUpperCase(Locale.ROOT));
        theirs[operation.ordinal()].recordValue(Long.parseLong(words[1]));
    }

    private Histogram all(Operation operation, RawHashMap map, int threads)
            throws InterruptedException, ExecutionException {
        List<Future<Histogram>> shares = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            int first = thread;
            RawHashMap.Session session = map.new Session();
            shares.add(executor.submit(() -> share(operation, session, first, threads)));
        }
        Histogram times = Figures.histogram();
        for (Future<Histogram> share : shares) {
            times.add(share.get());
        }
        return times;
    }

    private Histogram share(
            Operation operation, RawHashMap.Session session, int first, int threads) {
        Histogram times = Figures.histogram();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(RawHashMap.VALUE_BYTES, Long.BYTES);
            for (int i = first; i < entries; i += threads) {
                value.set(ValueLayout.JAVA_LONG, 0, i);
                long key = i * SPREAD;
                long begin = System.nanoTime();
                boolean done = once(operation, session, key, value);
                times.recordValue(System.nanoTime() - begin);
                if (!done || value.get(ValueLayout.JAVA_LONG, 0) != i) {
                    throw new IllegalStateException(operation + " of entry " + i + " went wrong");
                }
            }
        }
        return times;
    }

    private static boolean once(
            Operation operation, RawHashMap.Session session, long key, MemorySegment value) {
        switch (operation) {
            case PUT, UPDATE -> session.put(key, value);
            case GET -> {
                value.set(ValueLayout.JAVA_LONG, 0, -1);
                return session.get(key, value);
            }
            case REMOVE -> {
                return session.remove(key);
            }
        }
        return true;
    }
}
