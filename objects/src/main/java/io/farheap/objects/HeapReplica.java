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
 * deleted. Types that the writer adds meanwhile are learned by the next read; one that it gives
 * another version, of which an object kept from before knows nothing, has to be read from the root
 * again, and the exception says so.
 */
public final class HeapReplica<R> implements AutoCloseable {
    private static final Duration FIRST_BOUND = Duration.ofSeconds(10);

    private final ReplicaPool pool;
    private final ObjectSpace space;
    private final ReplicaTypes types;
    private final Class<R> rootType;

    HeapReplica(ReplicaPool pool, Class<R> rootType, Class<?>... others) {
        this.pool = pool;
        this.rootType = rootType;
        this.space = new ObjectSpace(pool.poolId(), new HeapTransactions(pool));
        this.types = new ReplicaTypes(space, new HeapTypes(space, rootType, others));
        space.transactions().atRead(types::follow);
        awaitHeap();
        R unused = root(); // of another type: refused here
    }

    /** Who opens it as the writer makes its heap sees the pool before that. */
    private void awaitHeap() {
        long begin = System.nanoTime();
        PoolPosition seen = pool.position();
        while (!space.transactions().read(tx -> types.root() != 0)) {
            Duration left = FIRST_BOUND.minusNanos(System.nanoTime() - begin);
            PoolPosition next = new PoolPosition(seen.number(), seen.sequence() + 1);
            if (left.isNegative() || !pool.await(next, left)) {
                throw FarheapException.environment(
                        "The pool of this replica is no heap of typed objects yet: open it once"
                                + " where it is written, by PersistentHeap.open.");
            }
            seen = pool.position();
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
        Bodies.Unchecked<R, T> unchecked = Bodies.ofFunction(body);
        return space.transactions().read(tx -> unchecked.apply(root(tx)));
    }

    /** As {@link #read(HeapFunction)}, without a result. */
    public <E extends Exception> void view(HeapBody<R, E> body) throws E {
        Bodies.Unchecked<R, Void> unchecked = Bodies.ofBody(body);
        Void unused = space.transactions().read(tx -> unchecked.apply(root(tx)));
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
        return pool.read(
                mostAge,
                bound,
                view -> space.transactions().read(view, tx -> unchecked.apply(root(tx))));
    }

    /** The root object. */
    public R root() {
        return space.transactions().read(this::root);
    }

    private R root(HeapTransaction tx) {
        return space.at(tx, types.root(), rootType);
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
        space.transactions().close();
        pool.close();
    }
}
