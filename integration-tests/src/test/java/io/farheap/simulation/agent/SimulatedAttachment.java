package io.farheap.simulation.agent;

import io.farheap.base.ReplicaPolicy;
import io.farheap.engine.PoolEngine;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.ScrubPace;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.dirty.SimulatedMaps;
import io.farheap.replication.epoch.EpochSwitch;
import io.farheap.replication.epoch.RemoteReplicas;
import io.farheap.replication.epoch.SwitchRecorder;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.scrub.Scrubber;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.session.Fabrics;
import io.farheap.simulation.engine.NodeServices;
import io.farheap.simulation.engine.World;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicatedPool;
import io.farheap.ulog.CommittedView;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** Attaches the replicas of a pool in simulated memory, over a simulated network. */
public class SimulatedAttachment implements PoolEngine.Attachment {
    private final PoolMemory memory;
    private final MemorySegment header;
    private final List<RemoteReplica> remotes;
    private final List<ReplicaPolicy> policies;
    private final SimulatedMaps maps;
    private final ReplicationSettings settings;
    private final AttachOptions options;
    private final Fabric fabric;
    private final IntFunction<ControlTransport> agents;

    /**
     * @param header the template of the replicas' headers
     * @param policies of the remotes, in their order
     * @param agents starts the agent of a replica
     */
    public SimulatedAttachment(
            PoolMemory memory,
            MemorySegment header,
            List<RemoteReplica> remotes,
            List<ReplicaPolicy> policies,
            SimulatedMaps maps,
            ReplicationSettings settings,
            AttachOptions options,
            Fabric fabric,
            IntFunction<ControlTransport> agents) {
        this.memory = memory;
        this.header = header;
        this.remotes = remotes;
        this.policies = policies;
        this.maps = maps;
        this.settings = settings;
        this.options = options;
        this.fabric = fabric;
        this.agents = agents;
    }

    @Override
    public ReplicaSink attach(Descriptor descriptor, CommittedView committed) {
        return attach(new View(descriptor, committed));
    }

    /** The same of what the pool looks like. */
    protected ReplicaSink attach(ReplicatedPool pool) {
        EpochSwitch switching =
                new EpochSwitch(
                        pool,
                        settings,
                        connector(agents),
                        offered(settings, fabric),
                        World.current().random(),
                        maps.open());
        return attach(pool, options, settings, switching);
    }

    /**
     * What {@code RemoteReplication.attach} becomes: over the simulated network of the machine that
     * runs now.
     */
    public static ReplicaSink attachTo(
            ReplicatedPool pool,
            AttachOptions options,
            ReplicationSettings settings,
            AgentConnector unused,
            SwitchRecorder recorder) {
        NodeServices node = World.current().process().machine().services(NodeServices.class);
        EpochSwitch switching =
                new EpochSwitch(
                        pool,
                        settings,
                        connector(index -> node.startAgent(pool.remotes().get(index).host())),
                        offered(settings, node.fabric()),
                        World.current().random(),
                        node.maps().open(),
                        recorder);
        return attach(pool, options, settings, switching);
    }

    private static ReplicaSink attach(
            ReplicatedPool pool,
            AttachOptions options,
            ReplicationSettings settings,
            EpochSwitch switching) {
        RemoteReplicas sink = RemoteReplicas.attach(pool, options, settings, switching);
        Scrubber scrubber = new Scrubber(sink, pool, ScrubPace.OFF); // when it is asked for
        sink.compareBy(scrubber);
        scrubber.start();
        return sink;
    }

    /** Promotes a replica, whoever has it. */
    public static void promote(
            RemoteReplica replica,
            int index,
            ReplicationSettings settings,
            Fabric fabric,
            IntFunction<ControlTransport> agents) {
        var unused =
                new RemoteReplicaClient(
                                replica,
                                index,
                                settings,
                                connector(agents),
                                offered(settings, fabric))
                        .promote(true);
    }

    /** Over the same network both; agents take verbs where that is offered. */
    private static Fabrics offered(ReplicationSettings settings, Fabric fabric) {
        return settings.fabrics() == FabricUse.TCP
                ? Fabrics.only(fabric)
                : Fabrics.only(Map.of(FabricKind.TCP, fabric, FabricKind.VERBS, fabric));
    }

    private static AgentConnector connector(IntFunction<ControlTransport> agents) {
        return new AgentConnector() {
            @Override
            public ControlTransport start(RemoteReplica replica, int index) {
                return agents.apply(index);
            }

            @Override
            public ControlTransport startTunnel(
                    RemoteReplica replica, Path entrance, String host, int port) {
                throw new UnsupportedOperationException("no tunnels here");
            }
        };
    }

    private final class View implements ReplicatedPool {
        private final Descriptor descriptor;
        private final CommittedView committed;

        View(Descriptor descriptor, CommittedView committed) {
            this.descriptor = descriptor;
            this.committed = committed;
        }

        @Override
        public Path poolsetFile() {
            return Path.of("/pools/bank.set");
        }

        @Override
        public List<RemoteReplica> remotes() {
            return remotes;
        }

        @Override
        public ReplicaPolicy policy(RemoteReplica replica) {
            return policies.get(remotes.indexOf(replica));
        }

        @Override
        public Path sideFiles() {
            return Path.of("/simulated/replica.part"); // the maps are simulated
        }

        @Override
        public int mode() {
            return 0600;
        }

        @Override
        public MemorySegment headerTemplate() {
            return header;
        }

        @Override
        public String layout() {
            return descriptor.layout();
        }

        @Override
        public MemorySegment image() {
            return memory.image().asReadOnly();
        }

        @Override
        public void readCommitted(long offset, MemorySegment target, long length) {
            committed.read(offset, target, length);
        }

        @Override
        public void clearUnused(long offset, MemorySegment one, MemorySegment other, long length) {
            committed.clearUnused(offset, one, other, length);
        }

        @Override
        public long runId() {
            return descriptor.runId();
        }

        @Override
        public void switchRunId(long runId) {
            World.current().note("L := " + runId);
            descriptor.switchRunId(runId);
        }
    }
}
