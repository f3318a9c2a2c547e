package io.farheap.objects.transaction;

import io.farheap.ReplicaPool;
import io.farheap.ReplicaView;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.engine.EngineOf;
import io.farheap.engine.StackReserve;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;

/**
 * The heap of a replica, whose bytes its agent changes between two reads. Each read is one of the
 * replica's: what it loads counts only if a look at the replica's view after it says so, in the
 * place of the look at the clock. Thread-safe.
 */
final class ReplicaReads extends HeapState {
    private static final Duration BOUND = Duration.ofSeconds(10);

    private final ReplicaPool pool;

    ReplicaReads(ReplicaPool pool) {
        super(EngineOf.replica(pool), BOUND);
        this.pool = pool;
    }

    /**
     * Runs a read of the calling thread, which has none under way.
     *
     * @param first what begins it: told the number of the view's epoch
     */
    <T> T read(
            HeapTransaction tx,
            ObjLongConsumer<HeapTransaction> first,
            Function<HeapTransaction, T> body) {
        return pool.read(view -> read(view, tx, first, body));
    }

    /** The same as a view shows it. */
    <T> T read(
            ReplicaView view,
            HeapTransaction tx,
            ObjLongConsumer<HeapTransaction> first,
            Function<HeapTransaction, T> body) {
        Reader reader = (Reader) tx.reader();
        StackReserve.require();
        reader.view = view;
        tx.beginRead();
        try {
            first.accept(tx, view.position().number());
            return body.apply(tx);
        } finally {
            tx.endRead();
            reader.view = null;
        }
    }

    @Override
    HeapReader reader() {
        return new Reader(this);
    }

    @Override
    VersionClock clock(HeapReader reader) {
        return new Looks((Reader) reader);
    }

    @Override
    ReplicaReads replica() {
        return this;
    }

    @Override
    void requireUsable() {
        // the replica itself says so when it is read
    }

    @Override
    void requireWritable() {
        throw change();
    }

    static FarheapException change() {
        return FarheapException.wrongUse(
                "A replica is only read here: its pool's own program changes it.");
    }

    @Override
    Duration closeTimeout() {
        return BOUND;
    }

    /** Of one thread. */
    private static final class Reader extends HeapReader {
        private final ReplicaReads heap;

        /** Null outside of reads. */
        private ReplicaView view;

        Reader(ReplicaReads heap) {
            super(heap);
            this.heap = heap;
        }

        @Override
        long usableSize(long snapshot, long object) {
            return view.usableSize(new Ref(heap.pool.poolId(), object));
        }

        @Override
        long root() {
            return view.root().offset();
        }
    }

    /** The look of one thread after what it loaded. */
    private static final class Looks extends VersionClock {
        private final Reader reader;

        Looks(Reader reader) {
            super(0);
            this.reader = reader;
        }

        @Override
        boolean isLast(long snapshot) {
            ReplicaView view = reader.view;
            if (view == null) {
                reader.refuseGlance(); // to be done as a read, which has a view
                return false;
            }
            view.check();
            return true;
        }
    }
}
