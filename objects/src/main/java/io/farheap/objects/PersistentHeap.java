package io.farheap.objects;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.ReplicaPool;
import io.farheap.base.FarheapException;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.type.RootLayout;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A pool of typed objects: interfaces marked {@link Persistent}, found from one root object of type
 * R. Thread-safe; no lock is needed anywhere.
 *
 * <p>A <em>transaction</em> reads and writes as if it were alone, and is durable here and on every
 * replica when it returns. A <em>read</em> sees one instant of the whole heap, however long it
 * takes. Outside both, each call of a getter is a small read, and each setter and each call of a
 * collection a small transaction of its own.
 *
 * <p>Objects are Java values of heap and place: equal where the place is, good in later
 * transactions, too, until the object is deleted or the heap is closed.
 */
public final class PersistentHeap<R> implements AutoCloseable {
    private static final String LAYOUT = RootLayout.LAYOUT;

    private final ObjectPool pool;
    private final ObjectSpace space;
    private final HeapOpening opening;
    private final Class<R> rootType;
    private final long root;

    private PersistentHeap(
            ObjectPool pool, ObjectSpace space, Class<R> rootType, Class<?>[] others) {
        this.pool = pool;
        this.rootType = rootType;
        this.space = space;
        this.opening = new HeapOpening(pool, space, rootType, others);
        this.root = opening.open();
        R unused = space.transactions().read(this::root); // of another type: refused here
    }

    // ---- open ----

    /**
     * Opens the heap in a pool, which is made where a poolset file describes one and none of it
     * exists.
     *
     * @param pool a poolset file, or the file of a pool that exists
     * @param root the type of the root object, which is made with the heap
     * @param others types that nothing leads to from the root's fields
     * @throws FarheapException WRONG_USE for mistakes in the types, all at once, for a root of
     *     another type, for a changed type that the pool's objects can't follow, and for a pool
     *     with another layout than {@code farheap-objects}, which {@link #over} takes if nothing
     *     was ever made in it; BAD_DATA for a pool of something else or a damaged one; and as
     *     {@link ObjectPool#openOrCreate(Path, String)}
     */
    public static <R> PersistentHeap<R> open(Path pool, Class<R> root, Class<?>... others) {
        PersistentTypes.check(root);
        return over(ObjectPool.openOrCreate(pool, LAYOUT), root, others);
    }

    /** As {@link #open(Path, Class, Class[])}, with options of the pool. */
    public static <R> PersistentHeap<R> open(
            Path pool, PoolOptions options, Class<R> root, Class<?>... others) {
        PersistentTypes.check(root);
        return over(
                ObjectPool.at(pool).layout(LAYOUT).options(options).openOrCreate(), root, others);
    }

    /**
     * Opens the heap in a pool file, or makes one of {@code size} bytes, at least 8 MiB. A pool
     * that exists keeps its size.
     */
    public static <R> PersistentHeap<R> openOrCreate(
            Path file, long size, Class<R> root, Class<?>... others) {
        PersistentTypes.check(root);
        return over(ObjectPool.at(file).layout(LAYOUT).size(size).openOrCreate(), root, others);
    }

    /**
     * Makes a heap of an open pool, which is closed with it, and when this throws.
     *
     * @param pool one that is new, or has been a heap before
     */
    public static <R> PersistentHeap<R> over(ObjectPool pool, Class<R> root, Class<?>... others) {
        Objects.requireNonNull(pool, "pool");
        try {
            return over(pool, new ObjectSpace(pool), root, others);
        } catch (Throwable failure) {
            closeAfter(failure, pool);
            throw failure;
        }
    }

    /** A thread that lives on keeps nothing of a heap that was refused. */
    private static <R> PersistentHeap<R> over(
            ObjectPool pool, ObjectSpace space, Class<R> root, Class<?>... others) {
        try {
            return new PersistentHeap<>(pool, space, root, others);
        } catch (Throwable failure) {
            closeAfter(failure, space.transactions());
            throw failure;
        }
    }

    private static void closeAfter(Throwable failure, AutoCloseable pool) {
        try {
            pool.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Opens a replica of a heap on this machine to read it, while an agent here brings it up to
     * date. Changes nothing.
     *
     * @param poolSet the poolset file that the agent uses
     * @param root the type of the root object, as the writer has it or an older or newer version
     * @param others types that nothing leads to from the root's fields
     * @throws FarheapException WRONG_USE for mistakes in the types, and for a root of another type;
     *     ENVIRONMENT before the writer has made the pool a heap; and as {@link
     *     ObjectPool#openReplica}
     */
    public static <R> HeapReplica<R> openReplica(Path poolSet, Class<R> root, Class<?>... others) {
        PersistentTypes.check(root);
        ReplicaPool replica = ObjectPool.openReplica(poolSet, LAYOUT);
        try {
            return new HeapReplica<>(replica, root, others);
        } catch (Throwable failure) {
            closeAfter(failure, replica);
            throw failure;
        }
    }

    /**
     * A heap without a file, gone when it is closed: for unit tests of programs. All else is as of
     * any heap.
     */
    public static <R> PersistentHeap<R> inMemory(Class<R> root, Class<?>... others) {
        PersistentTypes.check(root);
        return over(InMemoryPool.create(LAYOUT), root, others);
    }

    // ---- transactions and reads ----

    /**
     * Runs a transaction. Inside another one it joins that one. The body may run more than once,
     * and should do nothing but change the heap; see {@link #afterCommit}.
     *
     * @throws E what the body throws: nothing has happened then
     * @throws FarheapException WRONG_USE inside a read
     */
    public <E extends Exception> void transaction(HeapBody<R, E> body) throws E {
        commit(Bodies.ofBody(body));
    }

    /** As {@link #transaction(HeapBody)}, with a result. */
    public <T, E extends Exception, X extends R> T compute(HeapFunction<R, T, E, X> body) throws E {
        return commit(Bodies.ofFunction(body));
    }

    /**
     * As {@link #transaction(HeapBody)}, for a body whose type does not say what it throws: a
     * lambda of another language than Java.
     *
     * @throws Exception what the body throws
     */
    public void transaction(AnyHeapBody<R> body) throws Exception {
        commit(Bodies.ofBody(body));
    }

    /** As {@link #transaction(AnyHeapBody)}, with a result. */
    @SuppressWarnings("overloads") // on purpose: see HeapFunction
    public <T> T compute(AnyHeapFunction<R, T> body) throws Exception {
        return commit(Bodies.ofFunction(body));
    }

    private <T> T commit(Bodies.Unchecked<R, T> body) {
        while (true) {
            try {
                return space.transactions().transaction(tx -> body.apply(root(tx)));
            } catch (UnknownTypeException e) {
                addOutside(e);
            }
        }
    }

    /**
     * Runs a read: the body sees one instant of the whole heap, waits for no commit, and may change
     * nothing. Inside a transaction it is part of that.
     *
     * @throws E what the body throws
     */
    public <T, E extends Exception, X extends R> T read(HeapFunction<R, T, E, X> body) throws E {
        return look(Bodies.ofFunction(body));
    }

    /** As {@link #read(HeapFunction)}, without a result. */
    public <E extends Exception> void view(HeapBody<R, E> body) throws E {
        look(Bodies.ofBody(body));
    }

    /**
     * As {@link #read(HeapFunction)}, for a lambda of another language than Java.
     *
     * @throws Exception what the body throws
     */
    @SuppressWarnings("overloads") // on purpose: see HeapFunction
    public <T> T read(AnyHeapFunction<R, T> body) throws Exception {
        return look(Bodies.ofFunction(body));
    }

    /** As {@link #read(AnyHeapFunction)}, without a result. */
    public void view(AnyHeapBody<R> body) throws Exception {
        look(Bodies.ofBody(body));
    }

    private <T> T look(Bodies.Unchecked<R, T> body) {
        return space.transactions().read(tx -> body.apply(root(tx)));
    }

    /**
     * Runs an action once, in this thread, after the transaction under way is durable; at once
     * where none is.
     *
     * @throws FarheapException WRONG_USE inside a read
     */
    public void afterCommit(Runnable action) {
        Objects.requireNonNull(action, "action");
        HeapTransaction tx = space.current();
        if (tx == null) {
            action.run();
        } else {
            tx.afterCommit(action);
        }
    }

    /**
     * Begins a transaction for code that can't be a lambda, as an adapter to a framework's
     * transactions is. Until it is ended, whatever this thread does with the heap is part of it.
     * Prefer {@link #transaction(HeapBody)}: nobody runs this one again after a conflict, and it
     * can't meet a type that the heap does not know yet; name such types when the heap is opened.
     *
     * @throws FarheapException WRONG_USE inside a transaction or read of this thread
     */
    public TransactionHandle begin() {
        return new TransactionHandle(space.transactions().begin());
    }

    // ---- objects ----

    /** The root object. */
    public R root() {
        return space.transactions().read(this::root);
    }

    private R root(HeapTransaction tx) {
        return space.at(tx, root, rootType);
    }

    /**
     * Makes an object; its fields are 0, null, and empty collections. What nothing refers to stays
     * in the pool all the same.
     *
     * @param type an interface marked {@link Persistent}
     */
    public <T> T create(Class<T> type) {
        return create(type, object -> {});
    }

    /** As {@link #create(Class)}, and fills it in the same transaction. */
    public <T> T create(Class<T> type, Consumer<? super T> first) {
        while (true) {
            try {
                return space.create(type, first);
            } catch (UnknownTypeException e) {
                addOutside(e);
            }
        }
    }

    /** Adds a type and lets the caller begin again; a transaction under way has to end first. */
    private void addOutside(UnknownTypeException unknown) {
        if (space.current() != null) {
            throw unknown;
        }
        opening.add(unknown.type());
    }

    /**
     * Deletes an object with what it owns: its strings and values, its collections; not the objects
     * that it refers to. Whoever uses it afterwards, from a Java variable or a reference in the
     * pool, gets a {@link DeletedObjectException}: its place is not given out again before nothing
     * in the pool refers to it.
     *
     * @throws DeletedObjectException for one that is deleted already
     * @throws FarheapException WRONG_USE for the root object
     */
    public void delete(Object object) {
        if (space.offsetOf(object) == root) {
            throw FarheapException.wrongUse("The root object can't be deleted.");
        }
        space.delete(object);
    }

    /**
     * Frees the objects that the root does not reach, with what they own, and the places of deleted
     * objects that nothing refers to any more; transactions go on meanwhile. What a transaction
     * makes and links by its end is safe. A Java variable keeps nothing alive: an object that only
     * one of those leads to must not be used after this.
     */
    public ReclaimReport reclaim() {
        return Reclaiming.run(pool, space, false);
    }

    /** What {@link #reclaim} would free now; nothing is. */
    public ReclaimReport unreachable() {
        return Reclaiming.run(pool, space, true);
    }

    // ---- the pool beneath ----

    /** The pool, for reading, its replicas and its figures; nothing typed may be changed by it. */
    public ObjectPool pool() {
        return pool;
    }

    /**
     * Waits, bounded, for transactions and reads under way, and closes the pool. A second call does
     * nothing.
     *
     * @throws FarheapException WRONG_USE inside a transaction or read, or when some still run after
     *     the bound; and as {@link ObjectPool#close}
     */
    @Override
    public void close() {
        space.transactions().close(pool::close);
    }
}
