package io.farheap.objects.transaction;

import io.farheap.engine.PoolEngine;
import io.farheap.memory.PoolMemory;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the transactions and reads of one heap share. All of it is in DRAM and nobody's after a
 * crash: recovery is the pool's own. Not final for tests.
 */
class HeapState {
    /** Null of a replica, whose memory an agent changes. */
    final PoolEngine engine;

    final PoolMemory memory;
    final Stripes stripes;
    final VersionClock clock;
    final ActiveSnapshots active;
    final History history;
    final CommitLatch latch;
    final HeapCommit commit;
    final TransactionCounters counters = new TransactionCounters();
    final CommitWatchers watchers = new CommitWatchers();
    final ReentrantLock reclaim = new ReentrantLock();

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
        this.latch = new CommitLatch(active, engine.settings().lockTimeout());
        this.commit = commit;
    }

    /** Of memory that nobody in this process changes. */
    HeapState(PoolMemory memory, Duration bound) {
        this.engine = null;
        this.memory = memory;
        this.stripes = new Stripes();
        this.clock = new VersionClock();
        this.active = new ActiveSnapshots();
        this.history = new History(active, 0);
        this.latch = new CommitLatch(active, bound);
        this.commit = new HeapCommit();
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

    /** What tells those reads, and transactions, whether what was loaded is of their moment. */
    VersionClock clock(HeapReader reader) {
        return clock;
    }

    /** By what a read has to be done that is not inside another one; null: by memory alone. */
    ReplicaReads replica() {
        return null;
    }

    void requireUsable() {
        engine.ensureUsable();
    }

    /** The same, for who wants to change something. */
    void requireWritable() {
        engine.ensureUsable();
    }

    /** Of waiting for transactions and reads at the end. */
    Duration closeTimeout() {
        return engine.settings().closeTimeout();
    }
}
