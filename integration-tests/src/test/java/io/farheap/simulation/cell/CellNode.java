package io.farheap.simulation.cell;

import com.fasterxml.jackson.databind.JsonNode;
import io.farheap.availability.HighAvailability;
import io.farheap.availability.Leadership;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.etcd.EtcdCoordinator;
import io.farheap.base.FarheapException;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.dirty.SimulatedMaps;
import io.farheap.replication.epoch.TakenTail;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.journal.KeptTerm;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.simulation.engine.Machine;
import io.farheap.simulation.engine.NodeServices;
import io.farheap.simulation.engine.SimProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One copy of one pool, and the program beside it that waits for its turn, with the product's own
 * {@link HighAvailability}. The copy is played: a state, a number, and whose agent has it.
 */
final class CellNode implements NodeServices, StoreWire {
    private static final long MILLI = 1_000_000;

    /** An agent hears of its writer each two seconds, and waits for ten of silence. */
    private static final long HEARTBEAT_BOUND = 10_000 * MILLI;

    private static final long HEARTBEAT = 2_000 * MILLI;

    /** Between two commits. */
    private static final long COMMIT = 100 * MILLI;

    /** To end the earlier writer's session and to replay what is in the journal. */
    private static final long FENCE_MILLIS = 50;

    private static final Path POOLSET = Path.of("/cell/pool.set");
    private static final Path COPY = Path.of("/cell/copy.set");

    private final Cell cell;
    private final CellPool pool;
    private final int copy;
    private final Machine machine;
    private final RemoteReplica asReplica;
    private KeptTerm term = KeptTerm.NONE;
    private SimProcess process;

    /** Its program has it, or will be silent from then on. */
    private long silentFrom = Long.MAX_VALUE;

    private ReplicaState state;
    private long number;

    /** The writer whose agent has the copy, or had it when that died; null: nobody. */
    private CellNode holder;

    CellNode(Cell cell, CellPool pool, int copy, String machineName, long number) {
        this.cell = cell;
        this.pool = pool;
        this.copy = copy;
        this.machine = new Machine(machineName);
        this.asReplica = new RemoteReplica(null, machineName, 0, "copy.set");
        this.number = number;
        this.state = copy == 0 ? ReplicaState.PROMOTED : ReplicaState.INSYNC;
        machine.setServices(this);
    }

    String name() {
        return machine.name();
    }

    RemoteReplica asReplica() {
        return asReplica;
    }

    boolean isUp() {
        return machine.isUp();
    }

    SimProcess process() {
        return process;
    }

    CellPool pool() {
        return pool;
    }

    // ---- the program

    void start() {
        machine.setUp(true);
        silentFrom = Long.MAX_VALUE;
        process = new SimProcess(cell.world(), machine, "program");
        process.setPid(cell.nextPid());
        Thread unused = process.start("main", this::run);
    }

    /** With its machine. */
    void die() {
        process.kill();
        machine.setUp(false);
        silentFrom = cell.world().now();
        holder = null;
    }

    private void run() {
        Leadership<AutoCloseable> turn =
                HighAvailability.of(cell.address(), pool.name())
                        .node(name())
                        .copy(COPY)
                        .minCopies(2)
                        .ttl(cell.plan().ttl())
                        .open(this::open);
        pool.opened(this);
        turn.onLost(
                why -> {
                    cell.deposed();
                    turn.close();
                    Thread unused = process.start("main", this::run);
                });
    }

    private AutoCloseable open() {
        var unused = ClassPathReplicas.of(POOLSET).attach(new CellPoolView(pool, this, number));
        return () -> {};
    }

    // ---- the copy

    ReplicaReport look() {
        long now = cell.world().now();
        boolean held = holder != null && now < holder.silentFrom() + bound();
        long last = holder == null ? 0 : Math.min(now, holder.silentFrom()) / COMMIT;
        SlotReport slot = new SlotReport(state, number, 0, number, last, 0, number, false, false);
        return new ReplicaReport(
                slot, Blob.EMPTY, 0, List.of(), held ? "the agent of " + holder.name() : "");
    }

    /** The last heartbeat came some time before the end. */
    private long bound() {
        return HEARTBEAT_BOUND - Math.floorMod(31L * pool.name().hashCode() + copy, HEARTBEAT);
    }

    private long silentFrom() {
        return silentFrom;
    }

    TakenTail takeOver(long recorded) {
        if (number != recorded) {
            throw FarheapException.replica("%s has number %d", name(), number);
        }
        cell.sleep(FENCE_MILLIS);
        holder = null;
        state = ReplicaState.PROMOTED;
        return TakenTail.NONE;
    }

    /** A switch is recorded. */
    void writesIn(long newNumber) {
        state = ReplicaState.PROMOTED;
        number = newNumber;
        holder = null;
    }

    void followsIn(long newNumber, CellNode writer) {
        state = ReplicaState.INSYNC;
        number = newNumber;
        holder = writer;
    }

    long number() {
        return number;
    }

    // ---- what its processes find

    @Override
    public Coordinator connect() {
        return EtcdCoordinator.connect(cell.settings());
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
        return cell.replication();
    }

    @Override
    public Optional<JsonNode> ask(String path, JsonNode request, long nanos) {
        return cell.store().ask(path, request, nanos);
    }

    @Override
    public Runnable watch(JsonNode request, Consumer<String> line) {
        return cell.store().watch(request, line);
    }

    @Override
    public ControlTransport startAgent(String host) {
        throw new UnsupportedOperationException("agents are played");
    }

    @Override
    public Fabric fabric() {
        throw new UnsupportedOperationException("agents are played");
    }

    @Override
    public SimulatedMaps maps() {
        throw new UnsupportedOperationException("copies are played");
    }
}
