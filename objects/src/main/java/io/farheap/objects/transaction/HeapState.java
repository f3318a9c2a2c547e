package io.farheap.objects.transaction;

import io.farheap.engine.PoolEngine;
import io.farheap.memory.PoolMemory;

/**
 * What the transactions and reads of one heap share. All of it is in DRAM and nobody's after a
 * crash: recovery is the pool's own. Not final for tests.
 */
class HeapState {
    final PoolEngine engine;
    final PoolMemory memory;
    final Stripes stripes;
    final VersionClock clock;
    final ActiveSnapshots active;
    final History history;
    final CommitGate gate;
    final HeapCommit commit;
    final TransactionCounters counters = new TransactionCounters();

    HeapState(
            PoolEngine engine,
            Stripes stripes,
            VersionClock clock,
            ActiveSnapshots active,
            History history,
            HeapCommit commit) {
        this.engine = engine;
        this.memory = engine.image();
        this.stripes = stripes;
        this.clock = clock;
        this.active = active;
        this.history = history;
        this.gate = new CommitGate(active, engine.settings().lockTimeout());
        this.commit = commit;
    }

    /**
     * @param historyBytes of old bytes that are kept for reads, at most
     */
    static HeapState of(PoolEngine engine, long historyBytes) {
        ActiveSnapshots active = new ActiveSnapshots();
        return new HeapState(
                engine,
                new Stripes(),
                new VersionClock(),
                active,
                new History(active, historyBytes),
                new HeapCommit());
    }

    /** What reads of one thread are done with. */
    HeapReader reader() {
        return new HeapReader(this);
    }
}
