package io.farheap.objects.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Random transactions and reads of several threads on cells, and a record of all of them. */
final class HistoryRecorder {
    private static final int MOST_CELLS = 5;

    private final RecordedHeap heap;
    private final String name;
    private final RecordedCells cells;
    private final HistoryLog log;
    private final AtomicLong tickets;
    private final AtomicLong values;

    HistoryRecorder(RecordedHeap heap, RecordedCells cells) {
        this(heap, cells, "", HistoryLog.NONE, 0);
    }

    /**
     * @param name what the names of its transactions begin with
     * @param before tickets and values that were given out before
     */
    HistoryRecorder(
            RecordedHeap heap, RecordedCells cells, String name, HistoryLog log, long before) {
        this.heap = heap;
        this.name = name;
        this.cells = cells;
        this.log = log;
        this.tickets = new AtomicLong(before);
        this.values = new AtomicLong(before);
    }

    List<RecordedTransaction> record(int threads, int transactionsOfEach, long seed) {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<CompletableFuture<List<RecordedTransaction>>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                String thread = name + "thread " + i;
                Random random = new Random(seed + i);
                running.add(
                        CompletableFuture.supplyAsync(
                                () -> recordThread(thread, transactionsOfEach, random), executor));
            }
            List<RecordedTransaction> history = new ArrayList<>();
            running.forEach(thread -> history.addAll(thread.join()));
            return history;
        } finally {
            executor.shutdownNow();
        }
    }

    /** One read of all cells. */
    RecordedTransaction readAll(String all) {
        RecordedTransaction tx = new RecordedTransaction(all, tickets.incrementAndGet());
        heap.reads().getFirst().accept(() -> read(tx, IntStream.range(0, cells.count()).toArray()));
        tx.committed = true;
        tx.end = tickets.incrementAndGet();
        log.ended(tx);
        return tx;
    }

    private List<RecordedTransaction> recordThread(String thread, int count, Random random) {
        List<RecordedTransaction> history = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            RecordedTransaction tx =
                    new RecordedTransaction(thread + "." + i, tickets.incrementAndGet());
            history.add(tx);
            int[] chosen =
                    random.ints(1 + random.nextInt(MOST_CELLS), 0, cells.count())
                            .distinct()
                            .toArray();
            try {
                run(tx, chosen, random);
                tx.committed = true;
            } catch (OnPurpose abort) {
                tx.committed = false;
            }
            tx.end = tickets.incrementAndGet();
            log.ended(tx);
        }
        return history;
    }

    private void run(RecordedTransaction tx, int[] chosen, Random random) {
        int kind = random.nextInt(6);
        int first = chosen[0];
        if (random.nextInt(3) == 0 && cells.setAlone(first, old -> next(tx, first, old))) {
            Thread.yield();
        } else if (kind == 0 && cells.isReadByOneCall(first)) {
            tx.reads.put(first, cells.get(first));
        } else if (kind < 2) {
            oneOf(heap.reads(), random).accept(() -> read(tx, chosen));
        } else {
            long bodySeed = random.nextLong();
            oneOf(heap.changes(), random).accept(() -> change(tx, chosen, new Random(bodySeed)));
        }
    }

    private static Consumer<Runnable> oneOf(List<Consumer<Runnable>> ways, Random random) {
        return ways.get(random.nextInt(ways.size()));
    }

    private void read(RecordedTransaction tx, int[] chosen) {
        tx.forget();
        for (int cell : chosen) {
            tx.reads.put(cell, cells.get(cell));
            Thread.yield(); // so that few processors do what many would
        }
    }

    private long next(RecordedTransaction tx, int cell, long old) {
        tx.forget();
        long value = values.incrementAndGet();
        tx.reads.put(cell, old);
        tx.writes.put(cell, value);
        log.aboutToCommit(tx);
        return value;
    }

    private void change(RecordedTransaction tx, int[] chosen, Random random) {
        read(tx, chosen);
        for (int cell : chosen) {
            if (random.nextBoolean()) {
                long value = values.incrementAndGet();
                cells.set(cell, value, random.nextBoolean());
                tx.writes.put(cell, value);
                Thread.yield();
                if (cells.get(cell) != value) {
                    throw new AssertionError("its own write is not there: " + tx);
                }
            }
        }
        if (random.nextInt(10) == 0) {
            throw new OnPurpose();
        }
        log.aboutToCommit(tx);
    }

    /** Ends a transaction of which nothing is to stay. */
    static final class OnPurpose extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
