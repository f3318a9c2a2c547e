package io.farheap.simulation;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.dirty.SimulatedMaps;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.journal.KeptTerm;
import io.farheap.simulation.agent.SimulatedTarget;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.NodeServices;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.World;
import java.util.List;

/** A node: its machine, its copy and its term file. */
final class ClusterNode implements NodeServices {
    private final World world;
    private final ClusterSite site;
    private final ClusterMedia media;
    private final int index;
    private final Machine machine;
    private KeptTerm term = KeptTerm.NONE;
    private KeptTerm backedUpTerm;
    private boolean lost;
    private long replacedOver;

    ClusterNode(World world, ClusterSite site, ClusterMedia media, int index) {
        this.world = world;
        this.site = site;
        this.media = media;
        this.index = index;
        this.machine = new Machine("n" + index);
        machine.setDisk(media.disk(index));
        machine.setServices(this);
        machine.setClockOffset(world.random().nextLong(1L << 50) - (1L << 49));
    }

    int index() {
        return index;
    }

    String name() {
        return machine.name();
    }

    Machine machine() {
        return machine;
    }

    SimulatedTarget disk() {
        return media.disk(index);
    }

    /** It never comes back. */
    void lose() {
        lost = true;
    }

    boolean isLost() {
        return lost;
    }

    /** Puts the files aside. */
    void backUp() {
        boolean unused = disk().image().lookForStores();
        media.backup(index).become(disk());
        backedUpTerm = term;
    }

    boolean isBackedUp() {
        return backedUpTerm != null;
    }

    SimulatedTarget backup() {
        return media.backup(index);
    }

    KeptTerm termAfter(boolean withTermFile) {
        return withTermFile ? backedUpTerm : term;
    }

    /**
     * The files are what they were; nobody has them.
     *
     * @param withTermFile it was put aside, too
     * @param number that the record has now: with it the node may not count on its copy
     */
    void restore(boolean withTermFile, long number) {
        disk().become(media.backup(index));
        replacedOver = number;
        term = termAfter(withTermFile);
    }

    /** Whether the copy is that of another time, and nobody has brought it up to date since. */
    boolean isReplaced(long number) {
        if (replacedOver != 0 && replacedOver != number) {
            replacedOver = 0; // by a later switch it is of the set, or it is not
        }
        return replacedOver != 0;
    }

    void losePower() {
        disk().losePower(world.random());
        media.maps(index).losePower(world.random());
    }

    List<SimProcess> agents() {
        return machine.processes().stream()
                .filter(process -> process.toString().endsWith(".agent"))
                .toList();
    }

    void end() {
        List.copyOf(machine.processes()).forEach(SimProcess::kill);
        machine.setDisk(null);
        machine.setServices(null);
    }

    @Override
    public Coordinator connect() {
        return site.store().connect();
    }

    @Override
    public KeptTerm term() {
        return term;
    }

    @Override
    public void keepTerm(KeptTerm kept) {
        term = kept;
    }

    @Override
    public ReplicationSettings settings() {
        return site.settings();
    }

    @Override
    public ControlTransport startAgent(String host) {
        return site.startAgent(this, host);
    }

    @Override
    public Fabric fabric() {
        return site.fabric();
    }

    @Override
    public SimulatedMaps maps() {
        return media.maps(index);
    }
}
