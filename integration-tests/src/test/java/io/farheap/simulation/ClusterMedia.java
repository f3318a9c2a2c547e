package io.farheap.simulation;

import io.farheap.ObjectPool;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.dirty.SimulatedMaps;
import io.farheap.simulation.agent.SimulatedTarget;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.Trace;
import io.farheap.simulation.engine.World;
import io.farheap.testing.support.MemoryPool;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The disks of all nodes, used again by one history after the other: see {@link Media}. */
final class ClusterMedia {
    static final int MOST_NODES = 5;
    static final long FIRST_NUMBER = 1000;
    static final long POOL_ID = 0x1234_5678_9abc_def0L;
    private static final long RING_BYTES = 16 << 10;
    private static final long BOUND = 60_000_000_000L;
    static final PoolUuid POOL =
            PoolUuid.of("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));

    private final List<SimulatedTarget> disks = new ArrayList<>();
    private final List<SimulatedTarget> backups = new ArrayList<>();
    private final List<SimulatedMaps> maps = new ArrayList<>();
    private final SimulatedTarget beginning = made();

    /** For whoever looks at one of them. */
    private final SimulatedTarget copy = made();

    /** Every node has a whole copy of a pool with nothing in it but its root. */
    ClusterMedia() {
        makeBeginning();
        copy.restore(beginning, true);
        for (int i = 0; i < MOST_NODES; i++) {
            disks.add(made());
            disks.get(i).restore(beginning, true);
            backups.add(made());
            backups.get(i).restore(beginning, true);
            maps.add(new SimulatedMaps(Media.IMAGE_BYTES));
        }
    }

    private static SimulatedTarget made() {
        SimulatedTarget made = new SimulatedTarget(Media.IMAGE_BYTES, RING_BYTES);
        made.setOfNode();
        return made;
    }

    private void makeBeginning() {
        World world = new World(0, 1000, new Trace(false));
        beginning.createFor(Media.header(POOL));
        MemoryPool.format(beginning.image().memory(), "test");
        SimProcess process = new SimProcess(world, new Machine("maker"), "program");
        Thread main =
                process.start(
                        "main",
                        () -> {
                            ObjectPool pool =
                                    MemoryPool.open(
                                            beginning.pool().memory(), ClusterSite.TX, POOL_ID);
                            var unused = pool.root(Cells.ROOT_BYTES);
                            pool.close();
                        });
        world.run(() -> !main.isAlive(), BOUND);
        world.end();
        boolean unused = beginning.image().lookForStores();
        beginning.formatMember(FIRST_NUMBER, 1);
        beginning.image().memory().persist(0, beginning.image().memory().size());
    }

    SimulatedTarget disk(int node) {
        return disks.get(node);
    }

    SimulatedMaps maps(int node) {
        return maps.get(node);
    }

    /** A node's files as somebody has put them aside. */
    SimulatedTarget backup(int node) {
        return backups.get(node);
    }

    /** A node's files as they are now; the last copy that was asked for is gone. */
    SimulatedTarget copyOf(int node) {
        copy.become(disks.get(node));
        return copy;
    }

    /** Before a history. */
    void restore() {
        for (int i = 0; i < MOST_NODES; i++) {
            boolean unused = disks.get(i).image().lookForStores();
            disks.get(i).restore(beginning, false);
            maps.get(i).clear();
        }
    }
}
