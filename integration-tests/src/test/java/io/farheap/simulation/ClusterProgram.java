package io.farheap.simulation;

import io.farheap.ObjectPool;
import io.farheap.availability.HighAvailability;
import io.farheap.availability.Leadership;
import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.base.ReplicaPolicy;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.AttachOptions;
import io.farheap.simulation.agent.SimulatedAttachment;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.SimTime;
import io.farheap.simulation.engine.World;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicatedPool;
import io.farheap.testing.support.MemoryPool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The application of one node: waits for its turn, commits from several threads, hands over. */
final class ClusterProgram {
    private static final Path POOL = Path.of("/pools/bank.set");

    private final World world;
    private final ClusterSite site;
    private final ClusterNode node;
    private final ClusterPlan plan;
    private final ClusterLedger ledger;
    private final Path poolsets;
    private final Consumer<PoolMemory> onOpen;
    private final SimProcess process;
    private boolean ends;
    private long term;
    private long committed;

    /**
     * @param onOpen looks at the pool when it is open and nobody commits yet
     */
    ClusterProgram(
            World world,
            ClusterSite site,
            ClusterNode node,
            ClusterPlan plan,
            ClusterLedger ledger,
            Path poolsets,
            long pid,
            Consumer<PoolMemory> onOpen) {
        this.world = world;
        this.site = site;
        this.node = node;
        this.plan = plan;
        this.ledger = ledger;
        this.poolsets = poolsets;
        this.onOpen = onOpen;
        this.process = new SimProcess(world, node.machine(), "program");
        process.setPid(pid);
    }

    SimProcess process() {
        return process;
    }

    /** The term in which it writes; 0: it does not. */
    long term() {
        return process.isDead() ? 0 : term;
    }

    /** How many commits have returned in this turn. */
    long committed() {
        return committed;
    }

    void start() {
        Thread unused = process.start("main", this::run);
    }

    private void run() {
        HighAvailability here =
                HighAvailability.of("etcd:http://store:2379", "bank")
                        .node(node.name())
                        .copy(poolsets.resolve("replica.set"))
                        .minCopies(plan.minCopies())
                        .priority(world.random().nextInt(3))
                        .onWaiting(why -> world.note("waits: " + why));
        try {
            do {
                turn(here);
            } while (world.random().nextBoolean());
        } catch (FarheapException e) {
            world.note("ends: " + e.getMessage());
            if (e.category() == FarheapException.Category.WRONG_USE) {
                throw e;
            }
        }
        process.kill();
        SimProcess.vanish();
    }

    private void turn(HighAvailability here) {
        ends = false;
        try (Leadership<ObjectPool> turn = here.open(this::open)) {
            world.count(Happening.TOOK_OVER);
            committed = 0;
            work(turn);
        } finally {
            term = 0;
            node.disk().closePool(process);
        }
    }

    private ObjectPool open() {
        PoolMemory memory = node.disk().openPool();
        boolean opened = false;
        try {
            ObjectPool pool =
                    MemoryPool.open(memory, ClusterSite.TX, ClusterMedia.POOL_ID, replicas(memory));
            opened = true;
            return pool;
        } finally {
            if (!opened) {
                node.disk().closePool(process);
            }
        }
    }

    private SimulatedAttachment replicas(PoolMemory memory) {
        List<RemoteReplica> remotes = new ArrayList<>();
        List<ReplicaPolicy> policies = new ArrayList<>();
        for (ClusterNode other : site.nodes()) {
            if (other != node) {
                remotes.add(new RemoteReplica(null, other.name(), 0, "replica.set"));
                policies.add(
                        other.index() == plan.async() ? ReplicaPolicy.ASYNC : ReplicaPolicy.FAIL);
            }
        }
        return new SimulatedAttachment(
                memory,
                Media.header(ClusterMedia.POOL),
                remotes,
                policies,
                node.maps(),
                site.settings(),
                AttachOptions.NONE,
                site.fabric(),
                index -> {
                    throw new IllegalStateException("past the record");
                }) {
            @Override
            protected ReplicaSink attach(ReplicatedPool pool) {
                return ClassPathReplicas.of(POOL).attach(pool);
            }
        };
    }

    private void work(Leadership<ObjectPool> turn) {
        Cells cells = new Cells(turn.pool());
        world.note("writes in term " + turn.term());
        if (ledger.isNewest(turn.term())) {
            for (int i = 0; i < ledger.threads(); i++) {
                ledger.opened(i, cells.read(i), turn.term());
            }
            onOpen.accept(node.disk().image().memory());
        }
        term = turn.term();
        turn.onLost(
                why -> {
                    world.note("to end: " + why);
                    ends = true;
                });
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < ledger.threads(); i++) {
            int thread = i;
            threads.add(process.start("worker" + i, () -> commitAll(cells, thread)));
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void commitAll(Cells cells, int thread) {
        while (!ends && !process.isDead()) {
            boolean done = commit(cells, thread);
            long pause = world.random().nextLong(1_000_000 * plan.longestPause());
            long end = world.now() + (done ? pause : pause + 1_000_000_000);
            while (world.now() < end && !ends) {
                SimTime.parkNanos(Math.min(end - world.now(), 200_000_000));
            }
        }
    }

    private boolean commit(Cells cells, int thread) {
        Row from = cells.read(thread);
        Row to = ledger.begin(thread, from);
        long mine = term;
        try {
            cells.change(thread, from, to);
        } catch (FarheapException e) {
            if (e.category() != FarheapException.Category.REPLICA) {
                throw e;
            }
            failed(cells, thread, from, to, e);
            return false;
        }
        world.note("acknowledged " + thread + " " + to);
        ledger.acknowledge(thread, to, mine);
        committed++;
        return true;
    }

    private void failed(Cells cells, int thread, Row from, Row to, FarheapException e) {
        boolean unknown = e instanceof CommitUnknownException;
        if (e instanceof PoolDeposedException deposed) {
            world.count(Happening.DEPOSED);
            unknown = deposed.isOutcomeUnknown();
            ends = true;
        }
        world.note((unknown ? "unknown " : "refused ") + to + ": " + e.getMessage());
        ledger.fail(thread, to, unknown);
        if (!(e instanceof PoolDeposedException) && !cells.read(thread).equals(from)) {
            throw new Violation("a commit that failed left " + cells.read(thread));
        }
    }
}
