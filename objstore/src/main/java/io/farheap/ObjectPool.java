package io.farheap;

import io.farheap.base.CheckReport;
import io.farheap.base.CommitUnknownException;
import io.farheap.base.DiskJournalFacts;
import io.farheap.base.FarheapException;
import io.farheap.base.HeapSpace;
import io.farheap.base.ListAt;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.PoolPosition;
import io.farheap.base.Ref;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ScrubResult;
import io.farheap.check.PoolCheck;
import io.farheap.engine.EngineOf;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;
import io.farheap.layout.Descriptor;
import io.farheap.live.LivePools;
import io.farheap.live.ReloadedFile;
import io.farheap.memory.JournalCounters;
import io.farheap.memory.PoolMemory;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.AtomicObjects;
import io.farheap.pmemobj.HeapControl;
import io.farheap.pmemobj.MemoryOperations;
import io.farheap.pmemobj.ObjectConstructor;
import io.farheap.pmemobj.ObjectList;
import io.farheap.pmemobj.PoolControl;
import io.farheap.pmemobj.PoolFaces;
import io.farheap.pmemobj.PoolLocks;
import io.farheap.pmemobj.TransactionControl;
import io.farheap.pool.PoolFiles;
import io.farheap.poolset.RemoteReplica;
import io.farheap.spi.SinkCounters;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import net.openhft.chronicle.bytes.Bytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of persistent objects: a libpmemobj pool in one file or in the parts that a poolset file
 * names, with the replicas it names, here and on other machines.
 *
 * <p>Everything is changed in transactions ({@link #transaction}); what one returned from is
 * durable here and on every replica that must have it. Reads outside transactions need no
 * transaction, and without a lock of the caller's may see a commit that is on its way.
 *
 * <p>One process per pool, any number of threads, virtual ones too. Every wait is bounded. An
 * interrupt never cuts a commit in two; the flag is kept. A pool that is never closed stays locked
 * until the process ends; nothing is lost by that.
 */
public final class ObjectPool extends PoolReads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ObjectPool.class);

    static {
        EngineOf.grant(pool -> ((ObjectPool) pool).engine, ObjectPool::over);
    }

    private final PoolFaces faces;
    private final PoolOptions options;

    /** The files to close with the pool; null when the memory belongs to somebody else. */
    private final PoolFiles files;

    private final FileReload reload;

    private final ReentrantLock releasing = new ReentrantLock();

    private volatile Object userData;

    ObjectPool(PoolEngine engine, long poolId, PoolFiles files, PoolOptions options) {
        super(engine, poolId);
        this.files = files;
        this.reload = new FileReload(() -> files.remotesAgain(), engine.attached()::reload);
        this.options = options;
        this.faces = new PoolFaces(engine, poolId, lane -> faces(lane).newObjects);
    }

    /** A pool over memory that the caller keeps: for tests of what happens beneath files. */
    static ObjectPool over(PoolEngine engine, long poolId) {
        return new ObjectPool(engine, poolId, null, PoolOptions.defaults());
    }

    // ---- open and create ----

    /**
     * Begins to say which pool is to be opened or created, and how.
     *
     * @param path a poolset file or a pool file
     */
    public static PoolBuilder at(Path path) {
        return new PoolBuilder(path);
    }

    /**
     * Creates the pool that a poolset file describes: {@link PoolBuilder#create} in the usual way.
     *
     * @param layout the name that every program must give to open it; at most 1023 bytes of UTF-8
     */
    public static ObjectPool create(Path poolSet, String layout) {
        return at(poolSet).layout(layout).create();
    }

    /**
     * Opens a pool: {@link PoolBuilder#open} in the usual way.
     *
     * @param pool a poolset file or a pool file
     * @param layout what it was created with; null accepts any
     */
    public static ObjectPool open(Path pool, String layout) {
        return at(pool).layout(layout).open();
    }

    /**
     * Opens the pool that a poolset file describes, or creates it where nothing of it exists:
     * {@link PoolBuilder#openOrCreate} in the usual way.
     */
    public static ObjectPool openOrCreate(Path poolSet, String layout) {
        return at(poolSet).layout(layout).openOrCreate();
    }

    /**
     * Opens a replica of a pool on this machine to read it, while an agent here brings it up to
     * date: {@link ReplicaPool}. Changes nothing.
     *
     * @param poolSet the poolset file that the agent uses
     * @param layout what the pool was created with; null accepts any
     * @throws FarheapException ENVIRONMENT where no agent has the replica, or it is being copied
     *     for longer than 10 s; BAD_DATA for files of another pool; WRONG_USE for another layout
     */
    public static ReplicaPool openReplica(Path poolSet, String layout) {
        return ReplicaPool.open(Objects.requireNonNull(poolSet, "poolSet"), layout);
    }

    // ---- transactions ----

    /**
     * Runs a transaction; when this returns it is durable here and on every replica. Inside another
     * one of this thread and pool it joins that one, and only the outermost commits; one of another
     * pool inside it is a transaction of its own, and stays when this one aborts.
     *
     * <p>Transactions are atomic and durable, and not isolated from each other: who changes the
     * same bytes as another thread needs a lock of both ({@link Transaction#lock}, held to the
     * end). Without one, updates are lost, in-place stores are seen before they are committed, and
     * the abort of a transaction that saved a field puts its old bytes back, also over what another
     * one set meanwhile and <em>returned</em> from.
     *
     * <p>Inside, reads through the {@link Transaction} see its own writes; those of the pool
     * ({@link #getLong}) see what is committed, while the setters of the pool ({@link #setLong})
     * join it.
     *
     * @throws E what the body throws: everything is rolled back then. Java finds what it is from
     *     the lambda; of a body of another language see {@link #transaction(AnyTransactionBody)}
     * @throws CommitUnknownException when it was rolled back here because a replica did not answer
     * @throws FarheapException REPLICA when a replica that must be durable is missing
     */
    public <E extends Exception> void transaction(TransactionBody<E> body) throws E {
        transaction(TransactionOptions.DEFAULT, body);
    }

    /** As {@link #transaction(TransactionBody)}, with locks, a callback, a way to fail. */
    public <E extends Exception> void transaction(
            TransactionOptions options, TransactionBody<E> body) throws E {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(body, "body");
        LaneTransaction lane = engine.begin();
        int level = LaneTransaction.INNERMOST;
        try {
            level = lane.level();
            options.applyTo(lane);
            body.run(face(lane));
            lane.commit(level);
        } catch (Throwable failure) {
            lane.abort(level, failure);
            throw failure;
        }
    }

    /** As {@link #transaction(TransactionBody)}, with a result. */
    public <T, E extends Exception, X extends Transaction> T compute(
            TransactionFunction<T, E, X> body) throws E {
        return compute(TransactionOptions.DEFAULT, body);
    }

    /** As {@link #transaction(TransactionOptions, TransactionBody)}, with a result. */
    public <T, E extends Exception, X extends Transaction> T compute(
            TransactionOptions options, TransactionFunction<T, E, X> body) throws E {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(body, "body");
        LaneTransaction lane = engine.begin();
        int level = LaneTransaction.INNERMOST;
        try {
            level = lane.level();
            options.applyTo(lane);
            T result = body.apply(face(lane));
            lane.commit(level);
            return result;
        } catch (Throwable failure) {
            lane.abort(level, failure);
            throw failure;
        }
    }

    /**
     * As {@link #transaction(TransactionBody)}, for a body whose type does not say what it throws:
     * a lambda of another language than Java.
     *
     * @throws Exception what the body throws, as well as what the other one does
     */
    public void transaction(AnyTransactionBody body) throws Exception {
        transaction(TransactionOptions.DEFAULT, body);
    }

    /** As {@link #transaction(AnyTransactionBody)}, with locks, a callback, a way to fail. */
    public void transaction(TransactionOptions options, AnyTransactionBody body) throws Exception {
        Objects.requireNonNull(body, "body");
        TransactionBody<Exception> typed = body::run;
        transaction(options, typed);
    }

    /** As {@link #transaction(AnyTransactionBody)}, with a result. */
    @SuppressWarnings("overloads") // on purpose: see TransactionFunction
    public <T> T compute(AnyTransactionFunction<T> body) throws Exception {
        return compute(TransactionOptions.DEFAULT, body);
    }

    /** As {@link #transaction(TransactionOptions, AnyTransactionBody)}, with a result. */
    @SuppressWarnings("overloads") // on purpose: see TransactionFunction
    public <T> T compute(TransactionOptions options, AnyTransactionFunction<T> body)
            throws Exception {
        Objects.requireNonNull(body, "body");
        TransactionFunction<T, Exception, Transaction> typed = body::apply;
        return compute(options, typed);
    }

    /** As {@link #begin(TransactionOptions)}, without locks or callback. */
    public ManualTransaction begin() {
        return begin(TransactionOptions.DEFAULT);
    }

    /**
     * Begins a transaction, or a level inside the one that this thread has under way, for code that
     * can't be a lambda. When it throws, no level has begun, and one around it is aborted. One that
     * is never ended keeps its lane and locks, and the pool from being closed.
     */
    public ManualTransaction begin(TransactionOptions options) {
        Objects.requireNonNull(options, "options");
        LaneTransaction lane = engine.begin();
        try {
            options.applyTo(lane);
            return new ManualTransaction(lane, face(lane));
        } catch (Throwable failure) {
            lane.abort(failure);
            throw failure;
        }
    }

    /** What concerns the transactions of this pool but no single one. */
    public TransactionControl transactions() {
        return faces.transactions();
    }

    /** Allocation without transactions, atomic by itself. */
    public AtomicObjects atomic() {
        return faces.atomic();
    }

    /** An empty list of actions, to be prepared and then published in one atomic step. */
    public Actions actions() {
        return faces.actions();
    }

    /** Copying, filling and making durable outside transactions. */
    public MemoryOperations memory() {
        return faces.memory();
    }

    private Transaction face(LaneTransaction lane) {
        return faces(lane).of(lane, engine, poolId);
    }

    private Transaction.Faces faces(LaneTransaction lane) {
        Transaction.Faces ofLane = (Transaction.Faces) lane.faces();
        if (ofLane == null) {
            ofLane =
                    new Transaction.Faces(
                            faces.newObjects(options.freshTransactions()),
                            options.freshTransactions());
            lane.setFaces(ofLane);
        }
        return ofLane;
    }

    /**
     * Changes one range of an object in place: one small transaction.
     *
     * @param change stores into the segment of {@code length} bytes, valid during the call
     */
    public void update(Ref object, long offset, long length, Consumer<MemorySegment> change) {
        Objects.requireNonNull(change, "change");
        transaction(tx -> change.accept(tx.snapshot(object, offset, length)));
    }

    /** Writes a payload at the start of an object: one small transaction. */
    public void write(Ref object, Consumer<Bytes<?>> payload) {
        transaction(tx -> tx.write(object, payload));
    }

    /** Sets one field: one small transaction. */
    public void setLong(Ref object, long offset, long value) {
        memory().raw().setLong(offset(object), offset, value);
    }

    /** Sets one field: one small transaction. */
    public void setInt(Ref object, long offset, int value) {
        transaction(tx -> tx.setInt(object, offset, value));
    }

    /** Sets one field: one small transaction. */
    public void setShort(Ref object, long offset, short value) {
        transaction(tx -> tx.setShort(object, offset, value));
    }

    /** Sets one field: one small transaction. */
    public void setByte(Ref object, long offset, byte value) {
        transaction(tx -> tx.setByte(object, offset, value));
    }

    /** Sets one field: one small transaction. */
    public void setChar(Ref object, long offset, char value) {
        transaction(tx -> tx.setChar(object, offset, value));
    }

    /** Sets one field: one small transaction. */
    public void setBoolean(Ref object, long offset, boolean value) {
        transaction(tx -> tx.setBoolean(object, offset, value));
    }

    /** Sets one field: one small transaction. */
    public void setFloat(Ref object, long offset, float value) {
        transaction(tx -> tx.setFloat(object, offset, value));
    }

    /** Sets one field: one small transaction. */
    public void setDouble(Ref object, long offset, double value) {
        transaction(tx -> tx.setDouble(object, offset, value));
    }

    /** Sets one reference: one small transaction. */
    public void setRef(Ref object, long offset, Ref value) {
        transaction(tx -> tx.setRef(object, offset, value));
    }

    /** Writes bytes: one small transaction. */
    public void writeBytes(Ref object, long offset, byte[] value) {
        transaction(tx -> tx.writeBytes(object, offset, value));
    }

    /** Makes every byte of a range {@code value}: one small transaction. */
    public void fill(Ref object, long offset, long length, byte value) {
        memory().fill(object, offset, length, value);
    }

    /** Copies bytes between objects: one small transaction. */
    public void copy(Ref from, long fromOffset, Ref to, long toOffset, long length) {
        memory().copy(from, fromOffset, to, toOffset, length);
    }

    // ---- root and objects ----

    /**
     * The root object, made or grown to at least {@code size} bytes; new bytes are 0, the content
     * is kept. Growing moves it: earlier references to it are dead. Joins a transaction under way.
     *
     * @param size bytes; 0: whatever there is
     */
    public Ref root(long size) {
        try {
            return new Ref(poolId, engine.root().grow(size, offset -> {}));
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    /**
     * As {@link #root(long)} with a constructor, which is called when the root is made or moved,
     * and finds its new bytes 0.
     *
     * <p>What the constructor throws travels on; the root is as it was then.
     */
    public Ref root(long size, ObjectConstructor constructor) {
        Objects.requireNonNull(constructor, "constructor");
        try {
            return new Ref(
                    poolId,
                    engine.root().grow(size, offset -> faces.construct(offset, constructor)));
        } catch (InternalError error) {
            FarheapException cutOff = engine.image().cutOff(error);
            if (cutOff != null) {
                throw cutOff;
            }
            throw error; // the constructor's own
        }
    }

    /** Locks and volatile values that lie in objects and live for one run. */
    public PoolLocks locks() {
        return faces.locks();
    }

    /**
     * A list in libpmemobj's layout.
     *
     * @param head the object that holds the list's head, zero for an empty one
     * @param headOffset where in it; a multiple of 8
     * @param entryOffset where the elements have their entries; a multiple of 8
     */
    public ObjectList list(Ref head, long headOffset, long entryOffset) {
        return faces.list(head, headOffset, entryOffset);
    }

    /** How its memory is given out: allocation classes, arenas, figures. */
    public HeapControl heap() {
        return faces.heap();
    }

    // ---- check ----

    /**
     * Walks everything there is in the pool and its local replicas: headers, descriptor, lanes and
     * their logs, heap, every object's header, the root, and the lists that the caller names. What
     * is wrong is reported, not thrown, and not mended.
     *
     * <p>Nothing changes meanwhile: the call waits, bounded, for transactions under way, and holds
     * new ones back until it has seen all the metadata and every object's header. Remote replicas
     * are not looked at.
     *
     * @param lists lists in the pool, which it cannot know of by itself
     * @throws FarheapException WRONG_USE inside a transaction; ENVIRONMENT when transactions still
     *     run after the bound
     */
    public CheckReport check(ListAt... lists) {
        requireAll(lists);
        for (ListAt list : lists) {
            if (!list.object().isNull()) {
                PoolReferences.checkPool(list.object().poolId(), poolId);
            }
        }
        return engine.whileQuiet(
                () -> PoolCheck.ofOpen(files, engine.image(), poolId, List.of(lists)));
    }

    /**
     * As {@link #check(ListAt...)}, of a pool that nobody has open. The files are not changed: what
     * a crash left half done is recovered on a copy in memory first.
     *
     * @param pool a poolset file or a pool file
     * @throws FarheapException ENVIRONMENT for a pool in use or one that cannot be read; BAD_DATA
     *     for a mistake in the poolset file
     */
    public static CheckReport check(Path pool, ListAt... lists) {
        return check(pool, null, lists);
    }

    /**
     * As {@link #check(Path, ListAt...)}, of a pool that must have a layout.
     *
     * @throws FarheapException WRONG_USE when it has another one
     */
    public static CheckReport check(Path pool, String layout, ListAt... lists) {
        Objects.requireNonNull(pool, "pool");
        requireAll(lists);
        return PoolCheck.ofFiles(pool, layout, List.of(lists));
    }

    private static void requireAll(ListAt[] lists) {
        for (ListAt list : Objects.requireNonNull(lists, "lists")) {
            Objects.requireNonNull(list, "list");
        }
    }

    /** Its statistics. */
    public PoolControl control() {
        return faces.control();
    }

    /** What it was opened with, the environment's share included. */
    public PoolOptions options() {
        return options;
    }

    // ---- about the pool ----

    /** The pool's id, the same in every run and on every replica. */
    public long poolId() {
        return poolId;
    }

    /** What {@link #setUserData} was given last since the pool was opened; null at first. */
    public Object userData() {
        return userData;
    }

    /** Keeps an object of the program's beside the open pool; nothing of it is persistent. */
    public void setUserData(Object data) {
        userData = data;
    }

    /** Where in the image a segment starts; -1: not in it. */
    long imageOffset(MemorySegment view) {
        MemorySegment image = engine.image().image();
        long offset = view.address() - image.address();
        return view.isNative() && offset >= 0 && offset < image.byteSize() ? offset : -1;
    }

    /** The layout name it was created with. */
    public String layout() {
        engine.ensureUsable();
        return new Descriptor(engine.image()).layout();
    }

    /** How stores become durable, found at open from the files, never guessed. */
    public PersistenceDomain persistenceDomain() {
        if (files == null) {
            throw FarheapException.wrongUse(
                    "This pool lives in memory that has no persistence domain.");
        }
        return files.domain();
    }

    /**
     * Where a disk journal makes stores durable ({@link PersistenceDomain#JOURNAL}): its files, one
     * for each local replica, and which way they are written; else empty.
     */
    public List<DiskJournalFacts> diskJournals() {
        engine.ensureUsable();
        return files == null ? List.of() : files.diskJournals();
    }

    /** How each remote replica of the poolset is now, in its order; empty where there is none. */
    public List<ReplicaStatus> replicas() {
        engine.ensureUsable();
        return engine.attached().states();
    }

    /**
     * How far the pool has come: after a commit of the calling thread returned, a position that has
     * it, and perhaps others that are on their way. Who reads a replica can wait for it ({@link
     * ReplicaPool#await}), in another process and on another machine. Without remote replicas there
     * is nobody to wait for it, and it does not move.
     */
    public PoolPosition position() {
        engine.ensureUsable();
        return engine.attached().position();
    }

    /**
     * Reads the poolset file again: remote replicas that it names by now are brought up to date
     * while commits go on, and are members then; those that it does not name any more leave, once
     * those that are added have every commit, and their files stay as they are. {@link #replicas}
     * shows all of them on return. {@code farheap reload} has the program do it.
     *
     * <p>What {@code .replication} says of a replica lost counts for those that are added, too, and
     * nothing else of it is read again.
     *
     * @throws FarheapException BAD_DATA for a mistake in the file, with the line; WRONG_USE where
     *     anything but remote {@code REPLICA} lines has changed, too few copies would be left, or
     *     none that has every commit, or the pool was opened without remote replicas; REPLICA when
     *     it can't be now. Nothing has changed then
     */
    public void reload() {
        ReloadedFile unused = reload(false);
    }

    /**
     * The same where none may be left that has every commit, and what is removed leaves at once:
     * this machine's copy is the only one then, until others join.
     *
     * @throws FarheapException as {@link #reload}
     */
    public void reloadAlone() {
        ReloadedFile unused = reload(true);
    }

    private ReloadedFile reload(boolean alone) {
        engine.ensureUsable();
        if (files == null) {
            throw FarheapException.wrongUse("the pool has no poolset file");
        }
        List<String> named = reload.run(alone).stream().map(RemoteReplica::toString).toList();
        return new ReloadedFile(files.poolSet().file(), named);
    }

    /**
     * Compares all of the pool with each attached remote replica by checksums, as fast as that goes
     * and while commits go on; nothing is repaired. Bytes count as different only where both have
     * the same commits. What the pool does by itself in the background at a slower pace (setting
     * {@code FARHEAP_SCRUB}), and finds, shows in {@link #replicas} and in {@code farheap status}.
     *
     * @throws FarheapException WRONG_USE when the pool is closed meanwhile
     */
    public ScrubResult scrub() {
        engine.ensureUsable();
        return engine.attached().scrub();
    }

    /**
     * When the last comparison of all bytes of all remote replicas with it ended, that of {@link
     * #scrub} or that in the background; empty where none has since it was opened. A round in which
     * a page could not be compared, because it was changed meanwhile, does not count.
     */
    public Optional<Instant> compared() {
        engine.ensureUsable();
        long millis = engine.attached().comparedMillis();
        return millis == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(millis));
    }

    private JournalCounters disk() {
        return files == null ? JournalCounters.NONE : files.journalCounters();
    }

    /** What it did since it was opened. */
    public PoolCounters counters() {
        PoolMemory image = engine.image();
        SinkCounters posted = engine.attached().posted();
        JournalCounters disk = disk();
        return new PoolCounters(
                engine.commits(),
                engine.readOnlyTransactions(),
                engine.aborts(),
                image.flushCount(),
                image.fenceCount(),
                engine.records(),
                engine.durabilityWaits(),
                posted.workRequests(),
                posted.doorbells(),
                posted.bytes(),
                disk.syncs(),
                disk.bytes(),
                disk.checkpoints(),
                disk.pages(),
                disk.waits());
    }

    private Map<String, Long> figures() {
        Map<String, Long> figures = counters().byName();
        figures.putAll(engine.times().byName());
        figures.putAll(disk().lastByName());
        try {
            HeapSpace space = heap().space();
            figures.put("heapUsedBytes", space.usedBytes());
            figures.put("heapFreeBytes", space.freeBytes());
            figures.put("heapLargestFreeBytes", space.largestFreeBytes());
        } catch (FarheapException damaged) {
            LOG.debug(
                    "{}: its space can't be counted: {}",
                    engine.image().name(),
                    damaged.getMessage());
        }
        return figures;
    }

    /** From now on another process may ask for a copy of it, or watch it. */
    void offer() {
        if (files != null && files.isShared()) {
            LivePools.offer(poolId, engine, files.headerTemplate(), this::figures, this::reload);
        }
    }

    /**
     * Waits, bounded, for transactions under way and for channels that have a {@link #segment} as
     * their buffer, lets the replicas go and closes the files. A second call does nothing, or what
     * the first could not; any other use afterwards throws.
     *
     * @throws FarheapException WRONG_USE inside a transaction, or when some still run after the
     *     bound: the pool stays open then; otherwise it is closed whatever is thrown
     */
    @Override
    public void close() {
        boolean wasOpen = !engine.isClosed();
        try {
            if (wasOpen) {
                LivePools.withdraw(poolId, engine);
            }
            engine.close();
        } finally {
            letFilesGo(wasOpen);
        }
    }

    /** Closes one that was just created and never used: its files go where that fails. */
    void closeNew() {
        LivePools.withdraw(poolId, engine);
        try {
            engine.close();
        } catch (RuntimeException | Error failure) {
            OpenPools.release(poolId, this);
            files.removeAfter(failure);
            throw failure;
        }
        letFilesGo(true);
    }

    /** One at a time: the second of two threads that close must not find half of it unmapped. */
    private void letFilesGo(boolean wasOpen) {
        releasing.lock();
        try {
            if (!engine.isClosed()) {
                offer(); // it stays open
            } else if (files != null) {
                LivePools.withdraw(poolId, engine); // whoever was refused meanwhile has offered it
                OpenPools.release(poolId, this);
                files.close();
                if (wasOpen) {
                    LOG.info("{}: closed", engine.image().name());
                }
            }
        } finally {
            releasing.unlock();
        }
    }
}
