package io.farheap.simulation;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.replica.SimulatedFiles;
import io.farheap.engine.TxSettings;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.Limits;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.stream.LagBound;
import io.farheap.simulation.agent.SimulatedAgent;
import io.farheap.simulation.agent.SimulatedTarget;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import io.farheap.simulation.net.ControlLine;
import io.farheap.simulation.net.Link;
import io.farheap.simulation.net.SimFabric;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The machines of nodes, the store, and the network between all of them. */
final class ClusterSite {
    /** Locks are waited for longer than a process that has one stops. */
    static final TxSettings TX = new TxSettings(Duration.ofMinutes(5), Duration.ofSeconds(10), 8);

    private static final Duration HEARTBEAT = Duration.ofMillis(500);
    private static final Duration ATTACH_TIMEOUT = Duration.ofSeconds(3);
    static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(2);

    private final World world;
    private final AgentConfiguration agents;
    private final SimFabric fabric;
    private final ClusterStore store;
    private final List<ClusterNode> nodes = new ArrayList<>();

    /** By initiator and target. */
    private final Link[][] links;

    ClusterSite(World world, ClusterMedia media, ClusterPlan plan, Path poolsets) {
        this.world = world;
        this.store = new ClusterStore(world);
        this.agents =
                SimulatedAgent.configuration(
                        poolsets,
                        Limits.MISSED_HEARTBEATS * Math.toIntExact(HEARTBEAT.toMillis()),
                        false,
                        plan.asks() ? "replica.set etcd:http://store:2379 bank" : "");
        this.links = new Link[plan.nodes()][plan.nodes()];
        for (int i = 0; i < plan.nodes(); i++) {
            nodes.add(new ClusterNode(world, this, media, i));
            for (int j = 0; j < plan.nodes(); j++) {
                links[i][j] = new Link(world, plan.fastest(), plan.slowest());
            }
        }
        this.fabric =
                new SimFabric(
                        world,
                        target -> link(indexOf(world.process().machine()), indexOf(target)),
                        machine -> machine.disk(SimulatedTarget.class).pushRing());
        SimulatedFiles.connectTo(fabric);
    }

    private int indexOf(Machine machine) {
        for (ClusterNode node : nodes) {
            if (node.machine() == machine) {
                return node.index();
            }
        }
        throw new IllegalArgumentException(machine.name());
    }

    List<ClusterNode> nodes() {
        return nodes;
    }

    ClusterNode node(int index) {
        return nodes.get(index);
    }

    ClusterStore store() {
        return store;
    }

    SimFabric fabric() {
        return fabric;
    }

    /** Of the one's program to the other one's agents. */
    Link link(int initiator, int target) {
        return links[initiator][target];
    }

    /** Everything between them. */
    void separate(int one, int other, long nanos) {
        link(one, other).block(nanos);
        link(other, one).block(nanos);
    }

    /** What the one sends to the other. */
    void separateOneWay(int from, int to, long nanos) {
        link(from, to).blockRequests(nanos);
        link(to, from).blockAnswers(nanos);
    }

    ReplicationSettings settings() {
        return new ReplicationSettings(
                ATTACH_TIMEOUT,
                COMMIT_TIMEOUT,
                HEARTBEAT,
                Duration.ofSeconds(10),
                new WaitStrategy(20_000, 200_000),
                false,
                "ssh",
                List.of("farheap agent"),
                ReplicaPolicies.FAIL,
                Duration.ofSeconds(1),
                LagBound.DEFAULT,
                FabricUse.TCP,
                TlsAgents.NONE,
                Pacer.NO_LIMIT);
    }

    /** What ssh does. */
    ControlTransport startAgent(ClusterNode from, String host) {
        ClusterNode to = node(Integer.parseInt(host.substring(1)));
        Link link = link(from.index(), to.index());
        ControlLine line = new ControlLine(link, world.process());
        var unused =
                world.at(
                        link.arrivalOfRequest(),
                        () -> {
                            if (to.machine().isUp()) {
                                SimProcess agent = SimulatedAgent.process(world, to.machine());
                                SimulatedAgent.serve(world, agent, agents, line.agentsEnd(agent));
                            } else {
                                world.count(Happening.UNREACHABLE);
                                line.refuse("No route to host");
                            }
                        });
        return line;
    }

    /** Everything works again. */
    void heal() {
        store.heal();
        for (Link[] row : links) {
            for (Link link : row) {
                link.heal();
            }
        }
    }

    /** All processes end. */
    void end() {
        nodes.forEach(ClusterNode::end);
    }
}
