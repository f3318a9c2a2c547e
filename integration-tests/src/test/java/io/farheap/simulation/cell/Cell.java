package io.farheap.simulation.cell;

import io.farheap.availability.StoredPool;
import io.farheap.availability.etcd.EtcdSettings;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.simulation.engine.SimTime;
import io.farheap.simulation.engine.Trace;
import io.farheap.simulation.engine.World;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Pools, the machines that have their copies, and the store that all of their programs ask. */
final class Cell {
    private static final long FIRST_NUMBER = 2;

    /** Java, until a program asks for its turn. */
    private static final long LONGEST_START = 1_000_000_000L;

    private static final String CLUSTER = "main";
    private static final List<URI> ENDPOINTS =
            List.of(
                    URI.create("http://e1:2379"),
                    URI.create("http://e2:2379"),
                    URI.create("http://e3:2379"));

    /** Threads change where they wait, and nowhere else. */
    private static final int POINTS_PER_SWITCH = 1 << 28;

    private final World world;
    private final CellPlan plan;
    private final CellStore store;
    private final EtcdSettings settings;
    private final ReplicationSettings replication = ReplicationSettings.fromEnvironment();
    private final List<CellPool> pools = new ArrayList<>();

    /** By machine. */
    private final List<List<CellNode>> machines = new ArrayList<>();

    private final List<Long> found = new ArrayList<>();
    private int writerless;
    private int deposed;
    private long lastPid = 100;

    Cell(CellPlan plan, long seed, Trace trace) {
        this.plan = plan;
        this.world = new World(seed, POINTS_PER_SWITCH, trace);
        this.store = new CellStore(world, plan.capacity());
        this.settings = EtcdSettings.of(ENDPOINTS, plan.ttl());
        for (int i = 0; i < plan.machines(); i++) {
            machines.add(new ArrayList<>());
        }
        for (int i = 0; i < plan.pools(); i++) {
            pools.add(pool(i));
        }
    }

    private CellPool pool(int index) {
        CellPool pool = new CellPool(this, "pool-" + index);
        Set<String> set = new TreeSet<>();
        for (int copy = 0; copy < CellPlan.COPIES; copy++) {
            int machine = plan.machine(index, copy);
            CellNode node = new CellNode(this, pool, copy, "m" + machine, FIRST_NUMBER);
            pool.nodes().add(node);
            machines.get(machine).add(node);
            set.add(node.name());
        }
        store.keys()
                .begin(
                        "farheap/" + CLUSTER + "/pools/" + pool.name() + "/record",
                        StoredPool.record(1, pool.nodes().get(0).name(), set, FIRST_NUMBER));
        pool.loseWriter();
        return pool;
    }

    World world() {
        return world;
    }

    CellPlan plan() {
        return plan;
    }

    CellStore store() {
        return store;
    }

    EtcdSettings settings() {
        return settings;
    }

    ReplicationSettings replication() {
        return replication;
    }

    String address() {
        return "etcd:" + String.join(",", ENDPOINTS.stream().map(URI::toString).toList());
    }

    long nextPid() {
        return ++lastPid;
    }

    /** Of the thread that runs now. */
    void sleep(long millis) {
        try {
            SimTime.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- what happens

    /** Its programs start, each after as long as Java takes. */
    void start(int machine) {
        for (CellNode node : machines.get(machine)) {
            long pause = world.random().nextLong(LONGEST_START);
            var unused =
                    world.after(
                            pause,
                            () -> {
                                node.start();
                                node.pool().machineChanged(true);
                            });
        }
    }

    /**
     * Without a word to anybody.
     *
     * @return how many pools were written there
     */
    int kill(int machine) {
        int before = writerless;
        for (CellNode node : machines.get(machine)) {
            boolean writes = node.pool().isWrittenBy(node);
            node.die();
            if (writes) {
                node.pool().loseWriter();
            } else {
                node.pool().machineChanged(false);
            }
        }
        return writerless - before;
    }

    // ---- what came of it

    void writerLost() {
        writerless++;
    }

    void writerFound(long after) {
        writerless--;
        found.add(after);
    }

    void deposed() {
        deposed++;
    }

    /** How many writers were told that their turn is over. */
    int deposals() {
        return deposed;
    }

    int writerless() {
        return writerless;
    }

    boolean isWhole() {
        return pools.stream().allMatch(CellPool::isWhole);
    }

    /** How long pools were without a writer, each time since this was asked last; sorted. */
    List<Long> takenTimes() {
        List<Long> sorted = found.stream().sorted().toList();
        found.clear();
        return sorted;
    }
}
