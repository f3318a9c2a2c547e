package io.farheap;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.FarheapException;
import io.farheap.base.JournalSettings;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.StatisticsMode;
import io.farheap.engine.TxSettings;
import io.farheap.heap.HeapSettings;
import io.farheap.pmemobj.HeapControl;
import io.farheap.pmemobj.TransactionControl;
import io.farheap.pool.CreateOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * How a pool is created and opened: what libpmemobj calls its control name space (ctl), typed, and
 * what else holds for one pool. {@link #builder} makes them; each method names the entry it stands
 * for.
 *
 * <p>Whoever starts a program may say the entries of the control name space in {@code PMEMOBJ_CONF}
 * and in the file that {@code PMEMOBJ_CONF_FILE} names, in libpmemobj's words ({@link
 * #withQueries}). That is read at each create and open, and goes over what the program says. Of all
 * other variables of the environment the program's word goes over theirs.
 *
 * @param mode permission bits of the part files of a new pool, 0600 where nobody says: the mode of
 *     {@code pmemobj_create}
 * @param prefaultAtCreate {@code prefault.at_create}: touch every page of a new pool, so that no
 *     access waits later
 * @param prefaultAtOpen {@code prefault.at_open}: touch every page of a pool that is opened
 * @param shutdownState {@code sds.at_create}: whether a new pool has the feature SHUTDOWN_STATE, by
 *     which a later opening notices that an NVDIMM lost data in a power failure; true where nobody
 *     says. It alone of all this is stored in the pool
 * @param copyOnWrite {@code copy_on_write.at_open}: the pool is opened, recovered and can be
 *     changed, and nothing of that ever reaches its files or its replicas: it vanishes with the
 *     close
 * @param allocatedSpace {@code fallocate.at_create}: whether part files that exist already when a
 *     pool is created get their whole space on the medium at once, true where nobody says. New
 *     files always do: a store into a mapped file can't be told that the medium is full
 * @param oneArenaForAll {@code heap.arenas_assignment_type}: true (global) has all threads allocate
 *     from one arena, false (thread, the default) spreads them over the automatic ones
 * @param arenas {@code heap.arenas_default_max}: how many arenas the heap has at first, at least 1;
 *     where nobody says, as many as there are processors
 * @param maxArenas {@code heap.narenas.max}: how many arenas there may be, 1024 or more (opening
 *     refuses less than the heap has room for); 0: nobody says
 * @param automaticArenas {@code heap.arena.[id].automatic}: by the id of an arena, from 1, whether
 *     threads are assigned to it by themselves
 * @param threadArena {@code heap.thread.arena_id}: the arena, from 1, of the thread that opens the
 *     pool; 0: nobody says
 * @param allocationClasses {@code heap.alloc_class.[id].desc}: more allocation classes, made when
 *     the pool is opened, in this order
 * @param granularity {@code heap.size.granularity}: by how many bytes a heap grows that is full, if
 *     its poolset file names directories: 0 (it does not grow), or at least 2 MiB; 128 MiB where
 *     nobody says
 * @param statistics {@code stats.enabled}
 * @param undoExtensionBytes {@code tx.cache.size}: bytes of entries that the extensions of undo
 *     logs take, 32768 where nobody says: see {@link TransactionControl#setCacheSize}
 * @param freshTransactions whether each transaction gets a {@link Transaction} of its own: one that
 *     a program kept is refused for ever then, and each is garbage. Else objects are used again, so
 *     that nothing is garbage, and a kept one is refused for the next 1023 transactions of its lane
 *     only, unless it was used meanwhile: nothing can tell it from the one that is right
 * @param allocationPattern {@code debug.heap.alloc_pattern}: its low 8 bits are what new objects
 *     are filled with; below 0, the default: nothing
 * @param persistence what the pool's files count as, as {@code PMEM_IS_PMEM_FORCE} and {@code
 *     PMEM2_FORCE_GRANULARITY} say it for the process; null: found out for each file. A wrong one
 *     loses commits: for tests on files in memory; but {@code JOURNAL}, a disk journal, and {@code
 *     PAGE_CACHE}, which does without, lose none. Where this is null, {@code FARHEAP_DURABILITY}
 *     says which of them it is, and else the files: {@code JOURNAL} where a part of any local
 *     replica lies on an ordinary disk
 * @param journal how large a disk journal is and what memory may be private beside it
 *     (docs/disk-journal.md); of what is 0 there {@code FARHEAP_JOURNAL_SIZE} and {@code
 *     FARHEAP_JOURNAL_MEMORY} may say something
 * @param lockTimeout longest wait of {@link Transaction#lock}, for a lock that lies in the pool
 *     unless the call names another, and for a free lane; null: {@code FARHEAP_LOCK_TIMEOUT_MILLIS}
 * @param closeTimeout longest wait of {@link ObjectPool#close} for transactions that still run;
 *     null: {@code FARHEAP_CLOSE_TIMEOUT_MILLIS}
 * @param oldBytes most bytes of memory for what commits to typed objects replace while a read needs
 *     it, at least 1 (docs/objects-transactions.md); 0: {@code FARHEAP_OLD_BYTES}, and else an
 *     eighth of the JVM's memory
 * @param replicaPolicy what happens when a remote replica can't be reached, for all that are not
 *     named; null: a file beside the poolset file or the environment says it (docs/settings.md),
 *     and else it is {@link ReplicaPolicy#FAIL}
 * @param replicaPolicies the same for single replicas, as written in the poolset file: {@code
 *     [user@]host[:port] name.set}
 * @param replication other settings of remote replicas, by the names that docs/settings.md has for
 *     them as variables of the environment, such as {@code FARHEAP_COMMIT_TIMEOUT}, {@code
 *     RPMEM_SSH} or {@code RPMEM_CMD}; over the environment and the file beside the poolset file.
 *     Understood, or refused, when replicas are attached
 */
public record PoolOptions(
        int mode,
        boolean prefaultAtCreate,
        boolean prefaultAtOpen,
        boolean shutdownState,
        boolean copyOnWrite,
        boolean allocatedSpace,
        boolean oneArenaForAll,
        int arenas,
        int maxArenas,
        Map<Integer, Boolean> automaticArenas,
        int threadArena,
        List<AllocationClassDescriptor> allocationClasses,
        long granularity,
        StatisticsMode statistics,
        long undoExtensionBytes,
        boolean freshTransactions,
        int allocationPattern,
        PersistenceDomain persistence,
        JournalSettings journal,
        Duration lockTimeout,
        Duration closeTimeout,
        long oldBytes,
        ReplicaPolicy replicaPolicy,
        Map<String, ReplicaPolicy> replicaPolicies,
        Map<String, String> replication) {
    /** The most bytes that one object may have: what several entries are bounded by. */
    private static final long MOST_BYTES = 0x3FFDFFFC0L;

    static final int FIRST_FREE_CLASS = -1;
    private static final PoolOptions DEFAULTS = new PoolOptionsBuilder().build();

    /** Refuses what no pool can have, by the entry's name. */
    public PoolOptions {
        require(arenas > 0, "heap.arenas_default_max", "at least 1", arenas);
        require(maxArenas >= 0, "heap.narenas.max", "at least 1", maxArenas);
        require(threadArena >= 0, "heap.thread.arena_id", "at least 1", threadArena);
        require(
                granularity == 0 || granularity >= 2L << 20,
                "heap.size.granularity",
                "0 or at least 2097152",
                granularity);
        require(
                undoExtensionBytes >= 0 && undoExtensionBytes <= MOST_BYTES,
                "tx.cache.size",
                "0 to " + MOST_BYTES,
                undoExtensionBytes);
        requirePositive(lockTimeout, "lockTimeout");
        requirePositive(closeTimeout, "closeTimeout");
        require(oldBytes >= 0, "oldBytes", "at least 1", oldBytes);
        Objects.requireNonNull(statistics, "statistics");
        Objects.requireNonNull(journal, "journal");
        for (int arena : automaticArenas.keySet()) {
            require(arena > 0, "heap.arena.[id].automatic", "an id of at least 1", arena);
        }
        automaticArenas = Map.copyOf(automaticArenas);
        allocationClasses = List.copyOf(allocationClasses);
        replicaPolicies = Map.copyOf(replicaPolicies);
        replication = Map.copyOf(replication);
    }

    /** What libpmemobj does when nobody says anything. */
    public static PoolOptions defaults() {
        return DEFAULTS;
    }

    /** Begins with the {@link #defaults}. */
    public static PoolOptionsBuilder builder() {
        return new PoolOptionsBuilder();
    }

    /** Begins with these. */
    public PoolOptionsBuilder toBuilder() {
        return new PoolOptionsBuilder(this);
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

    /** The policy said for a replica, or for all; null where nothing was said. */
    public ReplicaPolicy replicaPolicy(String replica) {
        Objects.requireNonNull(replica, "replica");
        return replicaPolicies.getOrDefault(replica, replicaPolicy);
    }

    HeapSettings heapSettings() {
        return new HeapSettings(arenas, oneArenaForAll);
    }

    /** The bounds of waits and old bytes: the program's, and where it says nothing those given. */
    TxSettings over(TxSettings environment) {
        return new TxSettings(
                lockTimeout == null ? environment.lockTimeout() : lockTimeout,
                closeTimeout == null ? environment.closeTimeout() : closeTimeout,
                environment.lanes(),
                oldBytes == 0 ? environment.oldBytes() : oldBytes);
    }

    CreateOptions forFiles(String layout) {
        return new CreateOptions(
                layout, mode, shutdownState, allocatedSpace, false, prefaultAtCreate);
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
        new TreeMap<>(automaticArenas).forEach(heap::setArenaAutomatic);
        if (threadArena != 0) {
            heap.setThreadArena(threadArena);
        }
        heap.setGranularity(granularity);
        heap.setAllocationPattern(allocationPattern);
        pool.control().setStatistics(statistics);
        pool.transactions().setCacheSize(undoExtensionBytes);
    }

    static void require(boolean possible, String name, String wanted, long value) {
        if (!possible) {
            throw FarheapException.wrongUse("%s must be %s, not %s.", name, wanted, value);
        }
    }

    private static void requirePositive(Duration duration, String name) {
        if (duration != null && (duration.isNegative() || duration.isZero())) {
            throw FarheapException.wrongUse("%s must be above 0, not %s.", name, duration);
        }
    }
}
