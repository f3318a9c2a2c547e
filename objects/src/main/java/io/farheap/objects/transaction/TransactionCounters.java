package io.farheap.objects.transaction;

import java.util.concurrent.atomic.LongAdder;

/** What happened in the transactions of one heap. Thread-safe. */
final class TransactionCounters {
    final LongAdder conflicts = new LongAdder();
    final LongAdder alone = new LongAdder();
    final LongAdder snapshotsTooOld = new LongAdder();
}
