package io.farheap.objects.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Random transactions and reads of several threads on registers, and a record of all of them. */
final class HistoryRecorder {
    private static final int MOST_REGISTERS = 5;

    private final HeapTransactions heap;
    private final Registers registers;
    private final AtomicLong tickets = new AtomicLong();
    private final AtomicLong values = new AtomicLong();

    HistoryRecorder(HeapTransactions heap) {
        this.heap = heap;
        this.registers = new Registers(heap);
    }

    List<RecordedTransaction> record(int threads, int transactionsOfEach, long seed) {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<CompletableFuture<List<RecordedTransaction>>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                String name = "thread " + i;
                Random random = new Random(seed + i);
                running.add(
                        CompletableFuture.supplyAsync(
                                () -> recordThread(name, transactionsOfEach, random), executor));
            }
            List<RecordedTransaction> history = new ArrayList<>();
            running.forEach(thread -> history.addAll(thread.join()));
            return history;
        } finally {
            executor.shutdownNow();
        }
    }

    private List<RecordedTransaction> recordThread(String name, int count, Random random) {
        List<RecordedTransaction> history = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            RecordedTransaction tx =
                    new RecordedTransaction(name + "." + i, tickets.incrementAndGet());
            history.add(tx);
            int[] chosen =
                    random.ints(1 + random.nextInt(MOST_REGISTERS), 0, Registers.COUNT)
                            .distinct()
                            .toArray();
            try {
                int kind = random.nextInt(6);
                if (kind == 0) {
                    heap.read(mine -> read(mine, tx, chosen));
                } else if (kind == 1) {
                    heap.glance(mine -> read(mine, tx, chosen));
                } else {
                    long bodySeed = random.nextLong();
                    heap.transaction(mine -> change(mine, tx, chosen, new Random(bodySeed)));
                }
                tx.committed = true;
            } catch (OnPurpose abort) {
                tx.committed = false;
            }
            tx.end = tickets.incrementAndGet();
        }
        return history;
    }

    private Void read(HeapTransaction mine, RecordedTransaction tx, int[] chosen) {
        tx.forget();
        for (int register : chosen) {
            tx.reads.put(register, registers.get(mine, register));
            Thread.yield(); // so that few processors do what many would
        }
        return null;
    }

    private Void change(HeapTransaction mine, RecordedTransaction tx, int[] chosen, Random random) {
        read(mine, tx, chosen);
        for (int register : chosen) {
            if (random.nextBoolean()) {
                long value = values.incrementAndGet();
                registers.set(mine, register, value, random.nextBoolean());
                tx.writes.put(register, value);
                Thread.yield();
                if (registers.get(mine, register) != value) {
                    throw new AssertionError("its own write is not there: " + tx);
                }
            }
        }
        if (random.nextInt(10) == 0) {
            throw new OnPurpose();
        }
        return null;
    }

    private static final class OnPurpose extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
