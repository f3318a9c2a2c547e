package io.farheap.engine;

import io.farheap.base.ReplicaPolicy;
import io.farheap.heap.Heap;
import io.farheap.heap.HeapGrowth;
import io.farheap.heap.HeapLogSpace;
import io.farheap.heap.HeapSettings;
import io.farheap.heap.HeapShape;
import io.farheap.heap.UnusedSpace;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicaSinkProvider;
import io.farheap.ulog.CommittedView;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneRecovery;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps from a validated image to a running {@link PoolEngine}: redo logs, heap, undo logs, the
 * run id and the replicas, and last what the heap merges, as records: {@link #ofMemory} has their
 * order. Only {@link #switchRunId} may wait for other machines.
 */
public final class PoolBoot {
    private static final Logger LOG = LoggerFactory.getLogger(PoolBoot.class);

    private final PoolMemory memory;
    private final TxSettings settings;
    private final Descriptor descriptor;
    private final LaneArea lanes;
    private final LaneRecovery recovery;
    private final PoolLife life;
    private final EngineCounters counters = new EngineCounters();
    private final SentRecord.Unended unended = new SentRecord.Unended();
    private final ReplicatedHeapStores heapStores;
    private Heap heap;
    private HeapLogSpace logSpace;

    private PoolBoot(PoolMemory memory, TxSettings settings, FoundContent found) {
        this.memory = memory;
        this.settings = settings;
        this.descriptor = new Descriptor(memory);
        this.lanes = new LaneArea(memory);
        this.recovery = new LaneRecovery(lanes, found == null ? null : found.logs());
        this.life = new PoolLife(memory);
        this.heapStores =
                new ReplicatedHeapStores(memory, () -> new SentRecord(counters, life, unended));
    }

    /**
     * Of open files, which stay the caller's.
     *
     * @param replicas attaches those that are named, if other processes see the files' changes
     * @param policies what happens when one can't be reached, by its name; null: nothing was said
     * @param replication what else the program says of them, by the names of variables
     * @param found by the check of the files, since which nothing has been stored; null: there was
     *     none
     */
    public static PoolEngine ofFiles(
            PoolSource source,
            PoolFiles files,
            ReplicaSinkProvider replicas,
            Function<String, ReplicaPolicy> policies,
            Map<String, String> replication,
            TxSettings settings,
            FoundContent found,
            HeapSettings heapSettings) {
        PoolEngine.Attachment attachment =
                files.remotes().isEmpty() || !files.isShared()
                        ? null
                        : new ReplicaAttachment(source, files, replicas, policies, replication);
        PoolEngine engine =
                ofMemory(
                        files.memory(),
                        settings,
                        attachment,
                        found,
                        new GrowingFiles(files),
                        heapSettings);
        LOG.info("{}: its persistence domain is {}", files.memory().name(), files.domain());
        return engine;
    }

    static PoolEngine ofMemory(
            PoolMemory memory,
            TxSettings settings,
            PoolEngine.Attachment attachment,
            FoundContent found,
            HeapGrowth growth,
            HeapSettings heapSettings) {
        RecoveryEvent event = new RecoveryEvent();
        event.begin();
        StackReserve.require();
        PoolBoot boot = new PoolBoot(memory, settings, found);
        boot.recoverRedo();
        boot.bootHeap(found == null ? null : found.heap(), growth, heapSettings);
        PoolEngine engine = boot.makeEngine();
        boot.recoverUndo();
        try {
            // Only now: a crash in the switch leaves local replicas that differ in nothing else.
            boot.switchRunId(attachment);
            boot.heap.mendFooters();
            boot.describe(event);
        } catch (RuntimeException | Error failure) {
            letReplicasGo(engine, failure);
            throw failure;
        }
        event.replicated = attachment != null;
        event.commit();
        LOG.info(
                "{}: open; {} redo logs completed, {} transactions rolled back",
                event.pool,
                event.completed,
                event.rolledBack);
        return engine;
    }

    /** Completes what had committed; stores to the headers of zones and chunks, too. */
    private void recoverRedo() {
        memory.onLoss(life::lost);
        recovery.recoverRedo();
    }

    /**
     * Boots the heap, and lets logs have room in it.
     *
     * @param seen its shape before redo logs were recovered; null: nobody has looked at it
     */
    private void bootHeap(HeapShape seen, HeapGrowth growth, HeapSettings heapSettings) {
        // A redo log stores to the headers of zones and chunks: only then are they looked at again.
        boolean asSeen = seen != null && recovery.completed() == 0;
        HeapShape shape =
                asSeen
                        ? seen
                        : HeapShape.of(memory, descriptor.heapOffset(), descriptor.heapSize());
        heap = Heap.boot(memory, shape, heapStores, heapStores.within(growth), heapSettings);
        heap.keepForLogs();
        logSpace = new HeapLogSpace(heap);
    }

    /** An engine that nobody has yet. */
    private PoolEngine makeEngine() {
        PoolEngine engine =
                new PoolEngine(
                        new EngineParts(
                                memory,
                                settings,
                                descriptor,
                                lanes,
                                heap,
                                logSpace,
                                heapStores,
                                counters,
                                life,
                                unended));
        life.watch(heap);
        heap.onGivingBack(engine.runState()::forget);
        return engine;
    }

    /** Rolls back what did not commit. */
    private void recoverUndo() {
        recovery.recoverUndo(logSpace);
    }

    /**
     * Gives the pool its run id; with replicas, they and the pool agree on it.
     *
     * @param attachment null when the pool has no remote replicas
     */
    private void switchRunId(PoolEngine.Attachment attachment) {
        if (attachment == null) {
            descriptor.switchRunId(Descriptor.nextRunId(descriptor.runId()));
            return;
        }
        recovery.releaseExtensions(logSpace);
        UnusedSpace unused = new UnusedSpace(memory, logSpace::layOver);
        CommittedView committed =
                new CommittedView(
                        memory,
                        logSpace::layOver,
                        (offset, length, range) -> unused.each(offset, length, range::accept));
        ReplicaSink sink = attachment.attach(descriptor, committed);
        if (sink != null) {
            heapStores.attach(sink);
            logSpace.onReleased(word -> released(sink, word));
        }
    }

    /** A replica that is being copied may have got it from before. */
    private static void released(ReplicaSink sink, long word) {
        boolean told = false;
        sink.undoing();
        try {
            sink.undone(entries -> entries.set(word, 0));
            told = true;
        } finally {
            if (!told) {
                sink.undoFailed();
            }
        }
    }

    /** Tells what was recovered. */
    private void describe(RecoveryEvent event) {
        event.pool = memory.name();
        event.lanes = lanes.count();
        event.completed = recovery.completed();
        event.rolledBack = recovery.rolledBack();
        event.runId = descriptor.runId();
    }

    /** Who opens the pool is left with no engine to close, and replicas would stay attached. */
    private static void letReplicasGo(PoolEngine engine, Throwable failure) {
        try {
            engine.letReplicasGo();
        } catch (RuntimeException | Error second) {
            failure.addSuppressed(second);
        }
    }
}
