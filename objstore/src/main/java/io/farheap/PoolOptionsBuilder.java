package io.farheap;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.FarheapException;
import io.farheap.base.JournalSettings;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.StatisticsMode;
import io.farheap.heap.HeapSettings;
import io.farheap.pool.CreateOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Says {@link PoolOptions} one by one, each as its component there says; for one thread. */
public final class PoolOptionsBuilder {
    private int mode = CreateOptions.DEFAULT_MODE;
    private boolean prefaultAtCreate;
    private boolean prefaultAtOpen;
    private boolean shutdownState = true;
    private boolean copyOnWrite;
    private boolean allocatedSpace = true;
    private boolean oneArenaForAll;
    private int arenas = HeapSettings.defaults().arenas();
    private int maxArenas;
    private final Map<Integer, Boolean> automaticArenas = new TreeMap<>();
    private int threadArena;
    private final List<AllocationClassDescriptor> allocationClasses = new ArrayList<>();
    private long granularity = 128L << 20;
    private StatisticsMode statistics = StatisticsMode.TRANSIENT;
    private long undoExtensionBytes = 32768;
    private boolean freshTransactions;
    private int allocationPattern = -1;
    private PersistenceDomain persistence;
    private JournalSettings journal = JournalSettings.USUAL;
    private Duration lockTimeout;
    private Duration closeTimeout;
    private long oldBytes;
    private ReplicaPolicy replicaPolicy;
    private final Map<String, ReplicaPolicy> replicaPolicies = new TreeMap<>();
    private final Map<String, String> replication = new TreeMap<>();

    PoolOptionsBuilder() {}

    PoolOptionsBuilder(PoolOptions from) {
        mode = from.mode();
        prefaultAtCreate = from.prefaultAtCreate();
        prefaultAtOpen = from.prefaultAtOpen();
        shutdownState = from.shutdownState();
        copyOnWrite = from.copyOnWrite();
        allocatedSpace = from.allocatedSpace();
        oneArenaForAll = from.oneArenaForAll();
        arenas = from.arenas();
        maxArenas = from.maxArenas();
        automaticArenas.putAll(from.automaticArenas());
        threadArena = from.threadArena();
        allocationClasses.addAll(from.allocationClasses());
        granularity = from.granularity();
        statistics = from.statistics();
        undoExtensionBytes = from.undoExtensionBytes();
        freshTransactions = from.freshTransactions();
        allocationPattern = from.allocationPattern();
        persistence = from.persistence();
        journal = from.journal();
        lockTimeout = from.lockTimeout();
        closeTimeout = from.closeTimeout();
        oldBytes = from.oldBytes();
        replicaPolicy = from.replicaPolicy();
        replicaPolicies.putAll(from.replicaPolicies());
        replication.putAll(from.replication());
    }

    /** {@link PoolOptions#mode()}. */
    public PoolOptionsBuilder mode(int wanted) {
        mode = wanted;
        return this;
    }

    /** {@link PoolOptions#prefaultAtCreate()}. */
    public PoolOptionsBuilder prefaultAtCreate(boolean wanted) {
        prefaultAtCreate = wanted;
        return this;
    }

    /** {@link PoolOptions#prefaultAtOpen()}. */
    public PoolOptionsBuilder prefaultAtOpen(boolean wanted) {
        prefaultAtOpen = wanted;
        return this;
    }

    /** {@link PoolOptions#shutdownState()}. */
    public PoolOptionsBuilder shutdownState(boolean wanted) {
        shutdownState = wanted;
        return this;
    }

    /** {@link PoolOptions#copyOnWrite()}. */
    public PoolOptionsBuilder copyOnWrite(boolean wanted) {
        copyOnWrite = wanted;
        return this;
    }

    /** {@link PoolOptions#allocatedSpace()}. */
    public PoolOptionsBuilder allocatedSpace(boolean wanted) {
        allocatedSpace = wanted;
        return this;
    }

    /** {@link PoolOptions#oneArenaForAll()}. */
    public PoolOptionsBuilder oneArenaForAll(boolean wanted) {
        oneArenaForAll = wanted;
        return this;
    }

    /** {@link PoolOptions#arenas()}. */
    public PoolOptionsBuilder arenas(int wanted) {
        arenas = wanted;
        return this;
    }

    /** {@link PoolOptions#maxArenas()}. */
    public PoolOptionsBuilder maxArenas(int wanted) {
        PoolOptions.require(wanted > 0, "heap.narenas.max", "at least 1", wanted);
        maxArenas = wanted;
        return this;
    }

    /** One of {@link PoolOptions#automaticArenas()}. */
    public PoolOptionsBuilder automaticArena(int arena, boolean automatic) {
        PoolOptions.require(arena > 0, "heap.arena.[id].automatic", "an id of at least 1", arena);
        automaticArenas.put(arena, automatic);
        return this;
    }

    /** {@link PoolOptions#threadArena()}. */
    public PoolOptionsBuilder threadArena(int wanted) {
        PoolOptions.require(wanted > 0, "heap.thread.arena_id", "at least 1", wanted);
        threadArena = wanted;
        return this;
    }

    /** One more of {@link PoolOptions#allocationClasses()}. */
    public PoolOptionsBuilder allocationClass(AllocationClassDescriptor wanted) {
        allocationClasses.add(Objects.requireNonNull(wanted, "wanted"));
        return this;
    }

    /** {@code heap.alloc_class.new.desc}: the same with the first id that is free then. */
    public PoolOptionsBuilder newAllocationClass(
            long unitSize,
            long alignment,
            int unitsPerBlock,
            AllocationClassDescriptor.HeaderType headerType) {
        return allocationClass(
                new AllocationClassDescriptor(
                        PoolOptions.FIRST_FREE_CLASS,
                        unitSize,
                        alignment,
                        unitsPerBlock,
                        headerType));
    }

    /** {@link PoolOptions#granularity()}. */
    public PoolOptionsBuilder granularity(long wanted) {
        granularity = wanted;
        return this;
    }

    /** {@link PoolOptions#statistics()}. */
    public PoolOptionsBuilder statistics(StatisticsMode wanted) {
        statistics = Objects.requireNonNull(wanted, "wanted");
        return this;
    }

    /** {@link PoolOptions#undoExtensionBytes()}. */
    public PoolOptionsBuilder undoExtensionBytes(long wanted) {
        undoExtensionBytes = wanted;
        return this;
    }

    /** {@link PoolOptions#freshTransactions()}. */
    public PoolOptionsBuilder freshTransactions(boolean wanted) {
        freshTransactions = wanted;
        return this;
    }

    /** {@link PoolOptions#allocationPattern()}. */
    public PoolOptionsBuilder allocationPattern(int wanted) {
        allocationPattern = wanted;
        return this;
    }

    /** {@link PoolOptions#persistence()}. */
    public PoolOptionsBuilder persistence(PersistenceDomain wanted) {
        persistence = Objects.requireNonNull(wanted, "wanted");
        return this;
    }

    /** {@link JournalSettings#ringBytes()} of {@link PoolOptions#journal()}. */
    public PoolOptionsBuilder journalBytes(long wanted) {
        journal = new JournalSettings(wanted, journal.privateBytes());
        return this;
    }

    /** {@link JournalSettings#privateBytes()} of {@link PoolOptions#journal()}. */
    public PoolOptionsBuilder journalMemoryBytes(long wanted) {
        journal = new JournalSettings(journal.ringBytes(), wanted);
        return this;
    }

    /** {@link PoolOptions#lockTimeout()}. */
    public PoolOptionsBuilder lockTimeout(Duration wanted) {
        lockTimeout = Objects.requireNonNull(wanted, "wanted");
        return this;
    }

    /** {@link PoolOptions#closeTimeout()}. */
    public PoolOptionsBuilder closeTimeout(Duration wanted) {
        closeTimeout = Objects.requireNonNull(wanted, "wanted");
        return this;
    }

    /** {@link PoolOptions#oldBytes()}. */
    public PoolOptionsBuilder oldBytes(long wanted) {
        PoolOptions.require(wanted > 0, "oldBytes", "at least 1", wanted);
        oldBytes = wanted;
        return this;
    }

    /** {@link PoolOptions#replicaPolicy()}. */
    public PoolOptionsBuilder replicaPolicy(ReplicaPolicy wanted) {
        replicaPolicy = Objects.requireNonNull(wanted, "wanted");
        return this;
    }

    /** One of {@link PoolOptions#replicaPolicies()}. */
    public PoolOptionsBuilder replicaPolicy(String replica, ReplicaPolicy policy) {
        replicaPolicies.put(
                Objects.requireNonNull(replica, "replica"),
                Objects.requireNonNull(policy, "policy"));
        return this;
    }

    /** One of {@link PoolOptions#replication()}. */
    public PoolOptionsBuilder replication(String variable, String value) {
        replication.put(
                Objects.requireNonNull(variable, "variable"),
                Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * These options.
     *
     * @throws FarheapException WRONG_USE naming what no pool can have
     */
    public PoolOptions build() {
        return new PoolOptions(
                mode,
                prefaultAtCreate,
                prefaultAtOpen,
                shutdownState,
                copyOnWrite,
                allocatedSpace,
                oneArenaForAll,
                arenas,
                maxArenas,
                automaticArenas,
                threadArena,
                allocationClasses,
                granularity,
                statistics,
                undoExtensionBytes,
                freshTransactions,
                allocationPattern,
                persistence,
                journal,
                lockTimeout,
                closeTimeout,
                oldBytes,
                replicaPolicy,
                replicaPolicies,
                replication);
    }
}
