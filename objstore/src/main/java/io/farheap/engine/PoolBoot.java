package io.farheap.engine;

import io.farheap.base.ReplicaPolicy;
import io.farheap.heap.HeapGrowth;
import io.farheap.heap.HeapSettings;
import io.farheap.heap.HeapShape;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.spi.ReplicaSinkProvider;
import java.util.Map;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The steps from a validated image to a running {@link PoolEngine}: redo logs, heap, undo logs, the
 * run id and the replicas, and last what the heap merges, as records. Only {@link
 * PoolEngine#attach} may wait for other machines.
 */
public final class PoolBoot {
    private static final Logger LOG = LoggerFactory.getLogger(PoolBoot.class);

    private PoolBoot() {}

    /**
     * Of open files, which stay the caller's.
     *
     * @param replicas attaches those that are named, if other processes see the files' changes
     * @param policies what happens when one can't be reached, by its name; null: nothing was said
     * @param replication what else the program says of them, by the names of variables
     * @param shape of the heap, which the check of the files has walked over and nothing has been
     *     stored to since; null: there was none
     */
    public static PoolEngine ofFiles(
            PoolSource source,
            PoolFiles files,
            ReplicaSinkProvider replicas,
            Function<String, ReplicaPolicy> policies,
            Map<String, String> replication,
            TxSettings settings,
            HeapShape shape,
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
                        shape,
                        new GrowingFiles(files),
                        heapSettings);
        LOG.info("{}: its persistence domain is {}", files.memory().name(), files.domain());
        return engine;
    }

    static PoolEngine ofMemory(
            PoolMemory memory,
            TxSettings settings,
            PoolEngine.Attachment attachment,
            HeapShape shape,
            HeapGrowth growth,
            HeapSettings heapSettings) {
        RecoveryEvent event = new RecoveryEvent();
        event.begin();
        StackReserve.require();
        PoolEngine engine = new PoolEngine(memory, settings, shape, growth, heapSettings);
        engine.recoverUndo();
        try {
            // Only now: a crash in the switch leaves local replicas that differ in nothing else.
            engine.attach(attachment);
            engine.heap().mendFooters();
            engine.describe(event);
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

    /** Who opens the pool is left with no engine to close, and replicas would stay attached. */
    private static void letReplicasGo(PoolEngine engine, Throwable failure) {
        try {
            engine.letReplicasGo();
        } catch (RuntimeException | Error second) {
            failure.addSuppressed(second);
        }
    }
}
