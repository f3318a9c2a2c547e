package io.farheap.objects;

import io.farheap.ReplicaPool;
import io.farheap.base.FarheapException;
import io.farheap.base.PoolPosition;
import io.farheap.base.SnapshotTooOldException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.time.Duration;

/**
 * A heap of typed objects as a replica on this machine has it: {@link PersistentHeap#openReplica}.
 * It is read while another process, on another machine as a rule, changes it. Thread-safe.
 *
 * <p>A <em>read</em> sees one commit boundary of the whole heap. Outside of one, each call of a
 * getter or of a collection is a small read of its own, and so may see a later one than the call
 * before. Whatever would change something is a {@link FarheapException} WRONG_USE.
 *
 * <p>Objects are Java values of replica and place, good in later reads, too, until the object is
 * deleted or the writer gets other types: when it has added one, or another version of one, what
 * was kept from before has to be read from the root again, and each use of it says so.
 */
public final class HeapReplica<R> implements AutoCloseable {
    private static final Duration FIRST_BOUND = Duration.ofSeconds(10);

    private final ReplicaPool pool;
    private final HeapTypes named;
    private final Class<R> rootType;
    private volatile ReplicaTypes types;

    HeapReplica(ReplicaPool pool, Class<R> rootType, Class<?>... others) {
        this.pool = pool;
        this.rootType = rootType;
        this.named = new HeapTypes(rootType, others);
        this.types = awaitTypes();
        R unused = root(); // of another type: refused here
    }

    /** Who opens it as the writer makes its heap sees the pool before that. */
    private ReplicaTypes awaitTypes() {
        HeapTransactions transactions = new HeapTransactions(pool);
        try {
            return awaitTypes(transactions);
        } catch (Throwable refused) {
            transactions.close(); // a thread that lives on keeps nothing of it
            throw refused;
        }
    }

    private ReplicaTypes awaitTypes(HeapTransactions transactions) {
        long begin = System.nanoTime();
        PoolPosition seen = pool.position();
        ReplicaTypes learned = ReplicaTypes.learn(pool, transactions, named);
        while (learned == null) {
            Duration left = FIRST_BOUND.minusNanos(System.nanoTime() - begin);
            PoolPosition next = new PoolPosition(seen.number(), seen.sequence() + 1);
            if (left.isNegative() || !pool.await(next, left)) {
                throw FarheapException.environment(
                        "The pool of this replica is no heap of typed objects yet: open it once"
                                + " where it is written, by PersistentHeap.open.");
            }
            seen = pool.position();
            learned = ReplicaTypes.learn(pool, transactions, named);
        }
        return learned;
    }

    /** Several threads may learn the same: none waits for another one that waits. */
    private void learnAgain(ReplicaTypes outdated) {
        ReplicaTypes learned = awaitTypes();
        synchronized (this) {
            if (types == outdated) {
                types = learned;
            }
        }
    }

    private interface Look<T> {
        T at(ReplicaTypes known);
    }

    private <T> T withTypes(Look<T> look) {
        while (true) {
            ReplicaTypes known = types;
            try {
                return look.at(known);
            } catch (OutdatedObjectException e) {
                boolean isRead = known.space().current() != null; // and ends first
                if (isRead || !e.isOf(known)) {
                    throw e;
                }
                learnAgain(known);
            }
        }
    }

    // ---- reads ----

    /**
     * Runs a read at one commit boundary. The body is run again, a few times, when it takes longer
     * than commits may wait to be applied here: it must have no effect of its own.
     *
     * @throws E what the body throws
     * @throws SnapshotTooOldException when commits could not wait for it each time
     * @throws FarheapException as {@link ReplicaPool#read}
     */
    public <T, E extends Exception, X extends R> T read(HeapFunction<R, T, E, X> body) throws E {
        return look(Bodies.ofFunction(body));
    }

    /** As {@link #read(HeapFunction)}, without a result. */
    public <E extends Exception> void view(HeapBody<R, E> body) throws E {
        look(Bodies.ofBody(body));
    }

    private <T> T look(Bodies.Unchecked<R, T> body) {
        return withTypes(
                known -> known.space().transactions().read(tx -> body.apply(root(tx, known))));
    }

    /**
     * As {@link #read(HeapFunction)}, of a state that is not older than that: {@link #age}.
     *
     * @param mostAge should be more than the interval of the writer's heartbeats
     * @param bound how long to wait for such a state
     * @throws FarheapException ENVIRONMENT when it was older all the time; WRONG_USE inside a read
     */
    public <T, E extends Exception, X extends R> T read(
            Duration mostAge, Duration bound, HeapFunction<R, T, E, X> body) throws E {
        Bodies.Unchecked<R, T> unchecked = Bodies.ofFunction(body);
        return withTypes(
                known -> {
                    HeapTransactions reads = known.space().transactions();
                    if (reads.current() != null) {
                        throw FarheapException.wrongUse(
                                "A read of this replica is under way in this thread: read inside"
                                        + " of that.");
                    }
                    return pool.read(
                            mostAge,
                            bound,
                            view -> reads.read(view, tx -> unchecked.apply(root(tx, known))));
                });
    }

    /** The root object. */
    public R root() {
        return withTypes(known -> known.space().transactions().read(tx -> root(tx, known)));
    }

    private R root(HeapTransaction tx, ReplicaTypes known) {
        return known.space().at(tx, known.root(), rootType);
    }

    // ---- how far it is ----

    /** The commit boundary that a read would find now, or an earlier one. */
    public PoolPosition position() {
        return pool.position();
    }

    /**
     * Waits until the replica has all commits up to a position, as {@link ReplicaPool#await}.
     *
     * @return false: it has not come so far within the bound
     */
    public boolean await(PoolPosition position, Duration bound) {
        return pool.await(position, bound);
    }

    /** How old what a read would find may be, as {@link ReplicaPool#age}. */
    public Duration age() {
        return pool.age();
    }

    /**
     * Waits, bounded, for reads under way, and unmaps the files. A second call does nothing.
     *
     * @throws FarheapException WRONG_USE inside a read
     */
    @Override
    public void close() {
        types.space().transactions().close(pool::close);
    }
}
