package io.farheap.simulation;

import io.farheap.ObjectPool;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.replica.SimulatedFiles;
import io.farheap.base.ReplicaPolicy;
import io.farheap.engine.TxSettings;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.JournaledPool;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.SyncProgress;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.Limits;
import io.farheap.replication.dirty.SimulatedMaps;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.simulation.agent.SimulatedAgent;
import io.farheap.simulation.agent.SimulatedAttachment;
import io.farheap.simulation.agent.SimulatedTarget;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import io.farheap.simulation.net.ControlLine;
import io.farheap.simulation.net.Link;
import io.farheap.simulation.net.SimFabric;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.support.MemoryPool;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The machines of one history, their network, and what an operator has set on them. */
final class Site {
    private static final long POOL_ID = 0x1234_5678_9abc_def0L;
    private static final PoolUuid POOL =
            PoolUuid.of("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));

    private static final TxSettings TX =
            new TxSettings(Plan.LOCK_TIMEOUT, Duration.ofSeconds(10), 8);

    private final World world;
    private final Media media;
    private final Plan plan;
    private final int replicas;
    private final AgentConfiguration agents;
    private final SimFabric fabric;
    private final Machine[] initiators = {new Machine("first"), new Machine("second")};
    private final List<Machine> targets = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();

    Site(World world, Media media, Plan plan, Path poolsets) {
        this.world = world;
        this.media = media;
        this.plan = plan;
        this.replicas = plan.replicas();
        this.agents =
                SimulatedAgent.configuration(
                        poolsets,
                        Limits.MISSED_HEARTBEATS * Math.toIntExact(Plan.HEARTBEAT.toMillis()),
                        plan.isByReads());
        for (int i = 0; i < replicas; i++) {
            Machine target = new Machine("target" + i);
            target.setDisk(media.target(i));
            target.setClockOffset(world.random().nextLong(1L << 50) - (1L << 49));
            targets.add(target);
            links.add(new Link(world, plan.fastest(), plan.slowest()));
        }
        for (int i = 0; i < initiators.length; i++) {
            initiators[i].setDisk(media.local(i));
            initiators[i].setClockOffset(world.random().nextLong(1L << 50) - (1L << 49));
        }
        fabric =
                new SimFabric(
                        world,
                        machine -> links.get(targets.indexOf(machine)),
                        machine -> machine.disk(SimulatedTarget.class).pushRing());
        SimulatedFiles.connectTo(fabric);
        if (plan.mapFaults() > 0) {
            MapFaults faults = new MapFaults(world, plan);
            media.maps(0).setFaults(faults);
            media.maps(1).setFaults(faults);
        }
    }

    /** Nothing waits for a step of a disk or a frame any more, to break something there. */
    void disarm() {
        links.forEach(Link::garbleNothing);
        for (int i = 0; i < replicas; i++) {
            media.target(i).image().beforeEachStep(() -> {});
            media.target(i).journal().beforeEachStep(() -> {});
        }
        media.maps(0).setFaults(SimulatedMaps.Faults.NONE);
        media.maps(1).setFaults(SimulatedMaps.Faults.NONE);
        media.local(0).beforeEachStep(() -> {});
        media.local(1).beforeEachStep(() -> {});
        media.journaled(0).journal().beforeEachStep(() -> {});
        media.journaled(1).journal().beforeEachStep(() -> {});
    }

    /** All processes end. */
    void end() {
        targets.forEach(Site::end);
        Arrays.asList(initiators).forEach(Site::end);
    }

    /** Threads of dead processes may be kept by the JDK, and must not keep disks. */
    private static void end(Machine machine) {
        List.copyOf(machine.processes()).forEach(SimProcess::kill);
        machine.setDisk(null);
    }

    int replicas() {
        return replicas;
    }

    Plan plan() {
        return plan;
    }

    Machine initiator(int which) {
        return initiators[which];
    }

    Machine target(int index) {
        return targets.get(index);
    }

    SimulatedTarget targetDisk(int index) {
        return media.target(index);
    }

    /** The power of an initiator's machine fails. */
    void losePower(int which) {
        if (plan.isJournaled()) {
            media.journaled(which).losePower(CrashSimulation.Loss.RANDOM, world.random());
        } else {
            media.local(which).losePower(CrashSimulation.Loss.RANDOM, world.random());
        }
        media.maps(which).losePower(world.random());
    }

    /** Where the program of that machine waits for the medium. */
    CrashSimulation localDisk(int which) {
        return plan.isJournaled() ? media.journaled(which).journal() : media.local(which);
    }

    /** What is in the pool of that machine, as who has it open sees it. */
    PoolMemory localPool(int which) {
        return plan.isJournaled() ? media.journaled(which).content() : media.local(which).memory();
    }

    /** The number of the pool of that machine. */
    long number(int which) {
        return plan.isJournaled()
                ? media.journaled(which).runId()
                : new Descriptor(media.local(which).memory()).runId();
    }

    /** The second initiator gets the pool as the first one's machine has it. */
    void copyPool() {
        if (plan.isJournaled()) {
            media.journaled(1).become(media.journaled(0));
        } else {
            media.local(1).become(media.local(0));
        }
        media.maps(1).copy(media.maps(0));
    }

    Link link(int index) {
        return links.get(index);
    }

    private static RemoteReplica remote(int index) {
        return new RemoteReplica(null, "target" + index, 0, "replica.set");
    }

    private ReplicationSettings settings() {
        return new ReplicationSettings(
                Plan.ATTACH_TIMEOUT,
                Plan.COMMIT_TIMEOUT,
                Plan.HEARTBEAT,
                Plan.WORK_TIMEOUT,
                new WaitStrategy(20_000, 200_000),
                false,
                "ssh",
                List.of("farheap agent"),
                ReplicaPolicies.FAIL,
                Duration.ofSeconds(1),
                plan.lag(),
                plan.isByReads() ? FabricUse.AUTO : FabricUse.TCP,
                TlsAgents.NONE,
                Pacer.NO_LIMIT);
    }

    /** Opens the pool as a program does that knows of no replicas. */
    ObjectPool openNatively(int which) {
        if (media.journaled(which).isMarked()) {
            // Such a program does not open it before.
            PoolMemory unused = media.journaled(which).open(world.random());
            media.journaled(which).close();
        }
        return MemoryPool.open(synced(media.local(which)), TX, POOL_ID);
    }

    /** The new owner of a promoted replica opens it, on its machine, as a pool of its own. */
    ObjectPool openPromoted(int index) {
        return MemoryPool.open(synced(media.target(index).pool()), TX, POOL_ID);
    }

    /** What {@code farheap promote --take-over} does, in the process that runs now. */
    void promote(int index) {
        SimulatedAttachment.promote(remote(index), index, settings(), fabric, this::startAgent);
    }

    /**
     * Opens the pool on that initiator's machine, in the process that runs now.
     *
     * @param overwrite whether replicas are to become what the local pool is, whatever they are
     */
    ObjectPool open(int which, boolean takeOver, boolean overwrite) {
        PoolMemory memory = memory(which);
        List<RemoteReplica> remotes = new ArrayList<>();
        List<ReplicaPolicy> policies = new ArrayList<>();
        for (int i = 0; i < replicas; i++) {
            remotes.add(remote(i));
            policies.add(plan.policy(i));
        }
        SimulatedAttachment attachment =
                new SimulatedAttachment(
                        memory,
                        Media.header(POOL),
                        remotes,
                        policies,
                        media.maps(which),
                        settings(),
                        new AttachOptions(
                                overwrite ? Set.copyOf(remotes) : Set.of(),
                                takeOver,
                                false,
                                SyncProgress.NONE,
                                Pacer.UNLIMITED),
                        fabric,
                        this::startAgent);
        return MemoryPool.open(memory, TX, POOL_ID, attachment);
    }

    private PoolMemory memory(int which) {
        if (!plan.isJournaled()) {
            return synced(media.local(which));
        }
        JournaledPool pool = media.journaled(which);
        world.process().atDeath(pool::died);
        return pool.open(world.random());
    }

    /** What is done with the files when the pool is closed, in the process that had it open. */
    void closeFiles(int which) {
        if (plan.isJournaled()) {
            media.journaled(which).close();
        }
    }

    /** As a pool's files are when they are opened: what a killed process left is durable. */
    private static PoolMemory synced(CrashSimulation disk) {
        disk.memory().persist(0, disk.memory().size());
        return disk.memory();
    }

    /** What ssh does. */
    private ControlTransport startAgent(int index) {
        Machine target = targets.get(index);
        ControlLine line = new ControlLine(links.get(index), world.process());
        var unused =
                world.at(
                        links.get(index).arrivalOfRequest(),
                        () -> {
                            if (target.isUp()) {
                                SimProcess agent = SimulatedAgent.process(world, target);
                                SimulatedAgent.serve(world, agent, agents, line.agentsEnd(agent));
                            } else {
                                world.count(Happening.UNREACHABLE);
                                line.refuse("No route to host");
                            }
                        });
        return line;
    }
}
