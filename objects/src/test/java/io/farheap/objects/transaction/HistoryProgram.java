package io.farheap.objects.transaction;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.io.IOException;
import java.nio.file.Path;

/** Opens a pool, reads all of it, and changes it in several threads until it is killed. */
final class HistoryProgram {
    private static final int MORE_THAN_CAN_BE = 1_000_000;

    private HistoryProgram() {}

    /**
     * @param args the pool, a directory for the history, the number of the round, how many threads,
     *     a seed
     */
    public static void main(String[] args) throws IOException {
        int round = Integer.parseInt(args[2]);
        try (ObjectPool pool =
                        ObjectPool.at(Path.of(args[0]))
                                .layout("histories")
                                .size(32 << 20)
                                .openOrCreate();
                FileHistoryLog log = new FileHistoryLog(Path.of(args[1]))) {
            HistoryRecorder recorder = recorder(pool, log, round);
            RecordedTransaction unused = recorder.readAll("round " + round);
            throw new AssertionError(
                    "not killed, but through "
                            + recorder.record(
                                    Integer.parseInt(args[3]),
                                    MORE_THAN_CAN_BE,
                                    Long.parseLong(args[4])));
        }
    }

    /** With tickets and values after all of the rounds before. */
    static HistoryRecorder recorder(ObjectPool pool, HistoryLog log, int round) {
        Ref unused = pool.root(CollectionCells.ROOT_BYTES);
        HeapTransactions heap = new HeapTransactions(pool);
        return new HistoryRecorder(
                heap, new CollectionCells(heap), "round " + round + " ", log, ticketsBefore(round));
    }

    /** More than the tickets and values of all rounds before. */
    static long ticketsBefore(int round) {
        return (long) round << 32;
    }
}
