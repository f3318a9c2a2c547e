package io.farheap.objects.transaction;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Transactions that were under way when their program was killed. Each committed if somebody who
 * committed has read what it wrote: the history has reads of all cells after each kill, and who
 * replaces a value has read it, so nothing that committed stays unseen.
 */
final class UndecidedTransactions {
    private UndecidedTransactions() {}

    /** Adds those that committed to the history. */
    static void decide(
            List<RecordedTransaction> history, Collection<RecordedTransaction> underWay) {
        Map<List<Long>, RecordedTransaction> writers = new HashMap<>();
        for (RecordedTransaction tx : underWay) {
            tx.writes.forEach((cell, value) -> writers.put(List.of((long) cell, value), tx));
        }
        Deque<RecordedTransaction> readers = new ArrayDeque<>();
        history.stream().filter(tx -> tx.committed).forEach(readers::add);
        List<RecordedTransaction> committed = new ArrayList<>();
        while (!readers.isEmpty()) {
            readers.remove()
                    .reads
                    .forEach(
                            (cell, value) -> {
                                RecordedTransaction writer =
                                        writers.get(List.of((long) cell, value));
                                if (writer != null && !writer.committed) {
                                    writer.committed = true;
                                    committed.add(writer);
                                    readers.add(writer);
                                }
                            });
        }
        history.addAll(committed);
    }
}
