package io.farheap;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.StatisticsMode;
import io.farheap.heap.HeapSettings;
import io.farheap.pmemobj.HeapControl;
import io.farheap.pmemobj.TransactionControl;
import io.farheap.pool.CreateOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * How a pool is created and opened: what libpmemobj calls its control name space (ctl), typed. Each
 * method names the entry it stands for. Immutable: each {@code with} gives another one.
 *
 * <p>Whoever starts a program may say the same in {@code PMEMOBJ_CONF} and in the file that {@code
 * PMEMOBJ_CONF_FILE} names, in libpmemobj's words ({@link #withQueries}). That is read at each
 * create and open, and goes over what the program says.
 *
 * <p>Nothing of this is stored in the pool but {@link #withShutdownState}.
 */
public final class PoolOptions {
    /** The most bytes that one object may have: what several entries are bounded by. */
    private static final long MOST_BYTES = 0x3FFDFFFC0L;

    private static final int FIRST_FREE_CLASS = -1;
    private static final PoolOptions DEFAULTS = new PoolOptions();

    private int mode = CreateOptions.DEFAULT_MODE;
    private boolean prefaultAtCreate;
    private boolean prefaultAtOpen;
    private boolean shutdownState = true;
    private boolean copyOnWrite;
    private boolean spaceAllocated = true;
    private boolean oneArenaForAll;
    private int arenas;
    private int maxArenas;
    private int threadArena;
    private Map<Integer, Boolean> automaticArenas = Map.of();
    private List<AllocationClassDescriptor> allocationClasses = List.of();
    private long granularity = 128L << 20;
    private StatisticsMode statistics = StatisticsMode.TRANSIENT;
    private long undoExtensionBytes = 32768;
    private boolean freshTransactions;
    private boolean expensiveChecksSkipped;
    private boolean userBuffersVerified;
    private int allocationPattern = -1;
    private ReplicaPolicy replicaPolicy;
    private Map<String, ReplicaPolicy> replicaPolicies = Map.of();

    private PoolOptions() {}

    private PoolOptions(PoolOptions from) {
        mode = from.mode;
        prefaultAtCreate = from.prefaultAtCreate;
        prefaultAtOpen = from.prefaultAtOpen;
        shutdownState = from.shutdownState;
        copyOnWrite = from.copyOnWrite;
        spaceAllocated = from.spaceAllocated;
        oneArenaForAll = from.oneArenaForAll;
        arenas = from.arenas;
        maxArenas = from.maxArenas;
        threadArena = from.threadArena;
        automaticArenas = from.automaticArenas;
        allocationClasses = from.allocationClasses;
        granularity = from.granularity;
        statistics = from.statistics;
        undoExtensionBytes = from.undoExtensionBytes;
        freshTransactions = from.freshTransactions;
        expensiveChecksSkipped = from.expensiveChecksSkipped;
        userBuffersVerified = from.userBuffersVerified;
        allocationPattern = from.allocationPattern;
        replicaPolicy = from.replicaPolicy;
        replicaPolicies = from.replicaPolicies;
    }

    /** What libpmemobj does when nobody says anything. */
    public static PoolOptions defaults() {
        return DEFAULTS;
    }

    /**
     * These options changed by ctl queries in libpmemobj's text form: {@code name=value}, separated
     * by semicolons, for example {@code stats.enabled=both;heap.size.granularity=33554432}. Numbers
     * are decimal, or hexadecimal after 0x, or octal after 0; true is y or 1, false n or 0, and
     * what follows these letters does not matter.
     *
     * @throws FarheapException WRONG_USE naming the first query that is not possible
     */
    public PoolOptions withQueries(String queries) {
        return ControlQueries.apply(this, Objects.requireNonNull(queries, "queries"));
    }

    /**
     * Permission bits of the part files of a new pool, 0600 where nobody says: the mode of {@code
     * pmemobj_create}.
     */
    public PoolOptions withMode(int bits) {
        PoolOptions changed = new PoolOptions(this);
        changed.mode = bits;
        return changed;
    }

    public int mode() {
        return mode;
    }

    /**
     * {@code prefault.at_create}: touch every page of a new pool, so that no access waits later.
     */
    public PoolOptions withPrefaultAtCreate(boolean prefault) {
        PoolOptions changed = new PoolOptions(this);
        changed.prefaultAtCreate = prefault;
        return changed;
    }

    public boolean prefaultAtCreate() {
        return prefaultAtCreate;
    }

    /** {@code prefault.at_open}: touch every page of a pool that is opened. */
    public PoolOptions withPrefaultAtOpen(boolean prefault) {
        PoolOptions changed = new PoolOptions(this);
        changed.prefaultAtOpen = prefault;
        return changed;
    }

    public boolean prefaultAtOpen() {
        return prefaultAtOpen;
    }

    /**
     * {@code sds.at_create}: whether a new pool has the feature SHUTDOWN_STATE, by which a later
     * opening notices that an NVDIMM lost data in a power failure. True where nobody says.
     */
    public PoolOptions withShutdownState(boolean kept) {
        PoolOptions changed = new PoolOptions(this);
        changed.shutdownState = kept;
        return changed;
    }

    public boolean shutdownState() {
        return shutdownState;
    }

    /**
     * {@code copy_on_write.at_open}: the pool is opened, recovered and can be changed, and nothing
     * of that ever reaches its files or its replicas: it vanishes with the close.
     */
    public PoolOptions withCopyOnWrite(boolean vanishing) {
        PoolOptions changed = new PoolOptions(this);
        changed.copyOnWrite = vanishing;
        return changed;
    }

    public boolean copyOnWrite() {
        return copyOnWrite;
    }

    /**
     * {@code fallocate.at_create}: whether part files that exist already when a pool is created get
     * their whole space on the medium at once, true where nobody says. New files always do: a store
     * into a mapped file can't be told that the medium is full.
     */
    public PoolOptions withAllocatedSpace(boolean allocated) {
        PoolOptions changed = new PoolOptions(this);
        changed.spaceAllocated = allocated;
        return changed;
    }

    public boolean allocatedSpace() {
        return spaceAllocated;
    }

    /**
     * {@code heap.arenas_assignment_type}: true (global) has all threads allocate from one arena,
     * false (thread, the default) spreads them over the automatic ones.
     */
    public PoolOptions withOneArenaForAll(boolean one) {
        PoolOptions changed = new PoolOptions(this);
        changed.oneArenaForAll = one;
        return changed;
    }

    public boolean oneArenaForAll() {
        return oneArenaForAll;
    }

    /**
     * {@code heap.arenas_default_max}: how many arenas the heap has at first; where nobody says, as
     * many as there are processors.
     *
     * @param count at least 1
     */
    public PoolOptions withArenas(int count) {
        require(count > 0, "heap.arenas_default_max", "at least 1", count);
        PoolOptions changed = new PoolOptions(this);
        changed.arenas = count;
        return changed;
    }

    public int arenas() {
        return arenas == 0 ? HeapSettings.defaults().arenas() : arenas;
    }

    /**
     * {@code heap.narenas.max}: how many arenas there may be.
     *
     * @param count 1024 or more; opening refuses less than the heap has room for
     */
    public PoolOptions withMaxArenas(int count) {
        require(count > 0, "heap.narenas.max", "at least 1", count);
        PoolOptions changed = new PoolOptions(this);
        changed.maxArenas = count;
        return changed;
    }

    /**
     * {@code heap.arena.[id].automatic}: whether threads are assigned to this arena by themselves.
     *
     * @param arena from 1
     */
    public PoolOptions withAutomaticArena(int arena, boolean automatic) {
        require(arena > 0, "heap.arena.[id].automatic", "an id of at least 1", arena);
        PoolOptions changed = new PoolOptions(this);
        Map<Integer, Boolean> more = new TreeMap<>(automaticArenas);
        more.put(arena, automatic);
        changed.automaticArenas = more;
        return changed;
    }

    /**
     * {@code heap.thread.arena_id}: the arena of the thread that opens the pool.
     *
     * @param arena from 1
     */
    public PoolOptions withThreadArena(int arena) {
        require(arena > 0, "heap.thread.arena_id", "at least 1", arena);
        PoolOptions changed = new PoolOptions(this);
        changed.threadArena = arena;
        return changed;
    }

    /**
     * {@code heap.alloc_class.[id].desc}: one more allocation class, made when the pool is opened;
     * classes are made in the order in which they were named.
     */
    public PoolOptions withAllocationClass(AllocationClassDescriptor wanted) {
        Objects.requireNonNull(wanted, "wanted");
        PoolOptions changed = new PoolOptions(this);
        List<AllocationClassDescriptor> more = new ArrayList<>(allocationClasses);
        more.add(wanted);
        changed.allocationClasses = List.copyOf(more);
        return changed;
    }

    /** {@code heap.alloc_class.new.desc}: the same with the first id that is free then. */
    public PoolOptions withNewAllocationClass(
            long unitSize,
            long alignment,
            int unitsPerBlock,
            AllocationClassDescriptor.HeaderType headerType) {
        return withAllocationClass(
                new AllocationClassDescriptor(
                        FIRST_FREE_CLASS, unitSize, alignment, unitsPerBlock, headerType));
    }

    /**
     * {@code heap.size.granularity}: by how many bytes a heap grows that is full, if its poolset
     * file names directories; 128 MiB where nobody says.
     *
     * @param bytes 0 (it does not grow), or at least 2 MiB
     */
    public PoolOptions withGranularity(long bytes) {
        require(
                bytes == 0 || bytes >= 2L << 20,
                "heap.size.granularity",
                "0 or at least 2097152",
                bytes);
        PoolOptions changed = new PoolOptions(this);
        changed.granularity = bytes;
        return changed;
    }

    public long granularity() {
        return granularity;
    }

    /** {@code stats.enabled}. */
    public PoolOptions withStatistics(StatisticsMode kept) {
        Objects.requireNonNull(kept, "kept");
        PoolOptions changed = new PoolOptions(this);
        changed.statistics = kept;
        return changed;
    }

    public StatisticsMode statistics() {
        return statistics;
    }

    /**
     * {@code tx.cache.size}: bytes of entries that the extensions of undo logs take, 32768 where
     * nobody says: see {@link TransactionControl#setCacheSize}.
     */
    public PoolOptions withUndoExtensionBytes(long bytes) {
        require(bytes >= 0 && bytes <= MOST_BYTES, "tx.cache.size", "0 to " + MOST_BYTES, bytes);
        PoolOptions changed = new PoolOptions(this);
        changed.undoExtensionBytes = bytes;
        return changed;
    }

    public long undoExtensionBytes() {
        return undoExtensionBytes;
    }

    /**
     * Whether each transaction gets a {@link Transaction} of its own: one that a program kept is
     * refused for ever then, and each is garbage. Else objects are used again, so that nothing is
     * garbage, and a kept one is refused for the next 1023 transactions of its lane only, unless it
     * was used meanwhile: nothing can tell it from the one that is right.
     */
    public PoolOptions withFreshTransactions(boolean fresh) {
        PoolOptions changed = new PoolOptions(this);
        changed.freshTransactions = fresh;
        return changed;
    }

    public boolean freshTransactions() {
        return freshTransactions;
    }

    /**
     * {@code tx.debug.skip_expensive_checks}: kept, and without effect: here no check is left out,
     * because none costs more than what it protects.
     */
    public PoolOptions withExpensiveChecksSkipped(boolean skipped) {
        PoolOptions changed = new PoolOptions(this);
        changed.expensiveChecksSkipped = skipped;
        return changed;
    }

    public boolean expensiveChecksSkipped() {
        return expensiveChecksSkipped;
    }

    /**
     * {@code tx.debug.verify_user_buffers}: kept, and without effect: logs take no buffers of the
     * program's here.
     */
    public PoolOptions withUserBuffersVerified(boolean verified) {
        PoolOptions changed = new PoolOptions(this);
        changed.userBuffersVerified = verified;
        return changed;
    }

    public boolean userBuffersVerified() {
        return userBuffersVerified;
    }

    /**
     * {@code debug.heap.alloc_pattern}: what new objects are filled with.
     *
     * @param pattern its low 8 bits are the byte; below 0, the default: nothing
     */
    public PoolOptions withAllocationPattern(int pattern) {
        PoolOptions changed = new PoolOptions(this);
        changed.allocationPattern = pattern;
        return changed;
    }

    public int allocationPattern() {
        return allocationPattern;
    }

    /**
     * What happens when a remote replica can't be reached, for all that are not named. Where nobody
     * says, a file beside the poolset file or the environment may (docs/settings.md), and else it
     * is {@link ReplicaPolicy#FAIL}.
     */
    public PoolOptions withReplicaPolicy(ReplicaPolicy policy) {
        Objects.requireNonNull(policy, "policy");
        PoolOptions changed = new PoolOptions(this);
        changed.replicaPolicy = policy;
        return changed;
    }

    /**
     * The same for one replica.
     *
     * @param replica as written in the poolset file: {@code [user@]host[:port] name.set}
     */
    public PoolOptions withReplicaPolicy(String replica, ReplicaPolicy policy) {
        Objects.requireNonNull(replica, "replica");
        Objects.requireNonNull(policy, "policy");
        PoolOptions changed = new PoolOptions(this);
        Map<String, ReplicaPolicy> more = new TreeMap<>(replicaPolicies);
        more.put(replica, policy);
        changed.replicaPolicies = more;
        return changed;
    }

    /** The policy said for a replica, or for all; null where nothing was said. */
    public ReplicaPolicy replicaPolicy(String replica) {
        Objects.requireNonNull(replica, "replica");
        return replicaPolicies.getOrDefault(replica, replicaPolicy);
    }

    HeapSettings heapSettings() {
        return new HeapSettings(arenas(), oneArenaForAll);
    }

    CreateOptions forFiles(String layout) {
        return new CreateOptions(layout, mode, shutdownState, spaceAllocated, prefaultAtCreate);
    }

    /** Brings to an open pool what an open pool takes. */
    void applyTo(ObjectPool pool) {
        HeapControl heap = pool.heap();
        for (AllocationClassDescriptor wanted : allocationClasses) {
            AllocationClassDescriptor unused =
                    wanted.id() == FIRST_FREE_CLASS
                            ? heap.newAllocationClass(
                                    wanted.unitSize(),
                                    wanted.alignment(),
                                    wanted.unitsPerBlock(),
                                    wanted.headerType())
                            : heap.newAllocationClass(wanted);
        }
        if (maxArenas != 0) {
            heap.setMaxArenas(maxArenas);
        }
        automaticArenas.forEach(heap::setArenaAutomatic);
        if (threadArena != 0) {
            heap.setThreadArena(threadArena);
        }
        heap.setGranularity(granularity);
        heap.setAllocationPattern(allocationPattern);
        pool.control().setStatistics(statistics);
        pool.transactions().setCacheSize(undoExtensionBytes);
    }

    private static void require(boolean possible, String name, String wanted, long value) {
        if (!possible) {
            throw FarheapException.wrongUse("%s must be %s, not %s.", name, wanted, value);
        }
    }
}
