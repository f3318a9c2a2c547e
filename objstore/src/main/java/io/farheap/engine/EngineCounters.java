package io.farheap.engine;

import java.util.concurrent.atomic.LongAdder;

/** What one pool did since it was opened; read by anybody, at any time. */
final class EngineCounters {
    final LongAdder commits = new LongAdder();
    final LongAdder readOnlyTransactions = new LongAdder();
    final LongAdder aborts = new LongAdder();
    final LongAdder records = new LongAdder();
    final LongAdder durabilityWaits = new LongAdder();
    final CommitTimes times = new CommitTimes();
}
