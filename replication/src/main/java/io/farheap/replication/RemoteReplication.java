package io.farheap.replication;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolUuid;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.ScrubPace;
import io.farheap.replication.dirty.DirtyMapFiles;
import io.farheap.replication.epoch.EpochSwitch;
import io.farheap.replication.epoch.RemoteReplicas;
import io.farheap.replication.epoch.SwitchRecorder;
import io.farheap.replication.scrub.Scrubber;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.status.StatusWriter;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicaSinkProvider;
import io.farheap.spi.ReplicatedPool;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;

/**
 * Attaches the remote replicas of a pool that is being opened. New replicas get all of it, others
 * what they may have beyond it; then the pool has a fresh number, and commits may begin.
 *
 * <p>The settings come from the program, from the file beside the poolset file and from the
 * environment ({@link ReplicationSettings}).
 */
public final class RemoteReplication implements ReplicaSinkProvider {

    /** For {@link java.util.ServiceLoader}. */
    public RemoteReplication() {}

    @Override
    public ReplicaSink attach(ReplicatedPool pool) {
        return attach(
                pool,
                AttachOptions.NONE,
                ReplicationSettings.of(pool.poolsetFile(), pool.settings()));
    }

    @Override
    public void requireAbsent(
            Path poolset, List<RemoteReplica> remotes, Map<String, String> settings) {
        new NoReplicas(poolset, ReplicationSettings.of(poolset, settings)).require(remotes);
    }

    @Override
    public void discard(
            Path poolset,
            PoolUuid uuid,
            List<RemoteReplica> remotes,
            Map<String, String> settings,
            Throwable failure) {
        new CreatedReplicas(poolset, uuid, failure).remove(remotes, settings);
    }

    /**
     * Before a record says that the pool here is the one that counts: requires that no target that
     * can be asked holds what may be newer, or is another program's now. Changes nothing.
     *
     * @throws FarheapException category REPLICA naming the replica, and what can be done
     */
    public static void requireComparable(ReplicatedPool pool, ReplicationSettings settings) {
        new ComparableReplicas(pool, settings).require();
    }

    /**
     * Attaches them with orders of the user, as tools have them: bringing a replica up to date is
     * to attach it and to close the sink.
     *
     * @throws FarheapException category REPLICA naming the replica that can't be attached, and why
     */
    public static ReplicaSink attach(
            ReplicatedPool pool, AttachOptions options, ReplicationSettings settings) {
        return attach(pool, options, settings, AgentConnector.of(settings));
    }

    /**
     * The same.
     *
     * @param connector how agents are started
     */
    public static ReplicaSink attach(
            ReplicatedPool pool,
            AttachOptions options,
            ReplicationSettings settings,
            AgentConnector connector) {
        return attach(pool, options, settings, connector, SwitchRecorder.NONE);
    }

    /**
     * The same of a pool under automatic fail-over.
     *
     * @param recorder is told of every switch, before the pool has its number
     */
    public static ReplicaSink attach(
            ReplicatedPool pool,
            AttachOptions options,
            ReplicationSettings settings,
            AgentConnector connector,
            SwitchRecorder recorder) {
        EpochSwitch switching =
                new EpochSwitch(
                        pool,
                        settings,
                        connector,
                        Fabrics.of(settings),
                        new SecureRandom(),
                        new DirtyMapFiles(pool),
                        recorder);
        return attach(pool, options, settings, switching);
    }

    static ReplicaSink attach(
            ReplicatedPool pool,
            AttachOptions options,
            ReplicationSettings settings,
            EpochSwitch switching) {
        RemoteReplicas sink = RemoteReplicas.attach(pool, options, settings, switching);
        boolean begun = false;
        try {
            StatusWriter status =
                    new StatusWriter(
                            new SideFiles(pool.sideFiles()).status(),
                            pool::runId,
                            sink::comparedMillis,
                            sink::replicas);
            switching.onChange(status::changed);
            sink.closeAlso(status);
            sink.readSettingsBy(() -> ReplicationSettings.of(pool.poolsetFile(), pool.settings()));
            status.start();
            Scrubber scrubber =
                    new Scrubber(sink, pool, ScrubPace.of(pool.poolsetFile(), pool.settings()));
            sink.compareBy(scrubber);
            scrubber.start();
            begun = true;
        } finally {
            if (!begun) {
                sink.close(); // or it would have the replicas as long as the program runs
            }
        }
        return sink;
    }
}
