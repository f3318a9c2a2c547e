package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One record on its way to the replicas, from its append to its end, of which it has exactly one
 * ({@link ReplicaSink}). Used again for the next record; for one thread at a time. Allocates
 * nothing.
 */
final class SentRecord {
    private static final long NONE = -1;

    /** Records whose end could not even be told; {@link #endAll} tells it later. Thread-safe. */
    static final class Unended {
        private final AtomicReference<SentRecord> last = new AtomicReference<>();

        /** Tells that they are broken. Meant for a pool that nobody uses any more. */
        void endAll() {
            for (SentRecord record = last.getAndSet(null); record != null; record = record.before) {
                record.endBroken();
            }
        }

        private void add(SentRecord record) {
            do {
                record.before = last.get();
            } while (!last.compareAndSet(record.before, record));
        }
    }

    private final EngineCounters counters;
    private final PoolLife life;
    private final Unended unended;
    private ReplicaSink sink;
    private RecordSource source;
    private long entryBytes;
    private long ticket = NONE;
    private SentRecord before;

    SentRecord(EngineCounters counters, PoolLife life, Unended unended) {
        this.counters = counters;
        this.life = life;
        this.unended = unended;
    }

    /** Sends a record; from here on it must end. */
    void append(ReplicaSink to, long bytes, RecordSource entries) {
        sink = to;
        entryBytes = bytes;
        source = entries;
        ticket = to.append(bytes, entries);
        counters.records.increment();
    }

    /** Returns when the record is on the replicas. */
    void awaitDurable() {
        counters.durabilityWaits.increment();
        ticket = sink.awaitDurable(ticket, entryBytes, source);
    }

    /** The same where nothing is stored here before it returns: who fails has rolled back. */
    void awaitDurableOrRollBack() {
        try {
            awaitDurable();
        } catch (Throwable unknown) {
            rollBackAfter(unknown);
            throw unknown;
        }
    }

    private void rollBackAfter(Throwable unknown) {
        try {
            rolledBack();
        } catch (Throwable failure) {
            unknown.addSuppressed(broken(failure));
        }
    }

    /** Whether it was sent and has not ended. */
    boolean isOpen() {
        return ticket != NONE;
    }

    /** Ends it: what it says is durable in the pool. Nothing where none is open. */
    void committed() {
        if (isOpen()) {
            sink.committed(ticket, source);
            ticket = NONE;
        }
    }

    /** Ends it: nothing of it is in the pool, durably. Nothing where none is open. */
    void rolledBack() {
        if (isOpen()) {
            sink.rolledBack(ticket);
            ticket = NONE;
        }
    }

    /**
     * Only recovery can tell any more what is in the pool: that is broken from now on, and the
     * record, where one is open, ends as that.
     *
     * @return what to throw
     */
    FarheapException broken(Throwable failure) {
        life.breakBy(failure); // first: what follows may fail for lack of memory, too
        try {
            endBroken();
        } catch (Throwable untold) {
            if (untold != failure) {
                failure.addSuppressed(untold); // they are told when the pool is closed
            }
        }
        return PoolLife.brokenBy(failure);
    }

    private void endBroken() {
        if (isOpen()) {
            boolean told = false;
            try {
                sink.broken(ticket);
                ticket = NONE;
                told = true;
            } finally {
                if (!told) {
                    unended.add(this);
                }
            }
        }
    }
}
