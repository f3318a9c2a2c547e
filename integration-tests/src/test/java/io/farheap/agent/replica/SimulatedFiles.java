package io.farheap.agent.replica;

import static io.farheap.simulation.agent.SimulatedTarget.Condition.FULL;
import static io.farheap.simulation.agent.SimulatedTarget.Condition.OTHER_POOL;
import static io.farheap.simulation.agent.SimulatedTarget.Condition.READ_ONLY;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.RecordedTerms;
import io.farheap.agent.data.TargetMachine;
import io.farheap.agent.journal.JournalMemory;
import io.farheap.agent.journal.JournalPlace;
import io.farheap.agent.lock.LockRequest;
import io.farheap.agent.lock.ReplicaLock;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.availability.SimulatedNode;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.NativeFile;
import io.farheap.pool.PoolFiles;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.simulation.agent.SimulatedTarget;
import io.farheap.simulation.engine.Happening;
import io.farheap.simulation.engine.SimProcess;
import io.farheap.simulation.engine.SimTime;
import io.farheap.simulation.engine.World;
import io.farheap.simulation.net.SimFabric;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Constructor;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.helpers.NOPLogger;

/** What the agent's calls that open files, lock them or listen for connections become. */
public final class SimulatedFiles {
    private static final long LEFT_BEHIND_NANOS = 500_000_000L;
    private static final long GRACE_NANOS = 2_000_000_000L;
    private static final long LATE_NANOS = 5_000_000;
    private static final long MUCH_LATER_NANOS = 3_000_000_000L;
    private static SimFabric fabric;

    private SimulatedFiles() {}

    /** The network that agents listen on. */
    public static void connectTo(SimFabric network) {
        fabric = network;
    }

    private static SimulatedTarget disk() {
        return World.current().process().machine().disk(SimulatedTarget.class);
    }

    /** The files at the replica's path, whoever's they are. */
    private static SimulatedTarget found() {
        return disk().found();
    }

    private static void require(
            SimulatedTarget.Condition bad, Happening counted, String operation, String why) {
        if (disk().condition() == bad) {
            World.current().count(counted);
            throw new FarheapException(
                    FarheapException.Category.ENVIRONMENT, operation + " failed: " + why);
        }
    }

    private static <T> T made(Class<T> type, Class<?>[] types, Object... arguments) {
        try {
            Constructor<T> constructor = type.getDeclaredConstructor(types);
            constructor.setAccessible(true);
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    // ---- the lock ----

    public static ReplicaLock acquire(Path path, LockRequest request, Duration bound) {
        require(READ_ONLY, Happening.READ_ONLY, "open", "Read-only file system");
        SimulatedTarget disk = disk();
        if (disk.holder() != null && request.takeOver()) {
            end(disk, bound);
        }
        if (disk.holder() != null && isLeftBehind(disk.owner(), request.owner())) {
            endLeftBehind(disk);
        }
        if (disk.holder() != null) {
            throw new Refusal(
                    Code.BUSY, "The replica is attached to " + disk.holder() + ".", "End that.");
        }
        SimProcess me = World.current().process();
        disk.setHolder(me);
        disk.setOwner(request.owner());
        me.atDeath(
                () -> {
                    if (disk.holder() == me) {
                        disk.setHolder(null);
                    }
                });
        return made(ReplicaLock.class, new Class<?>[] {Path.class, NativeFile.class}, path, null);
    }

    /** TERM, and KILL when that is not heeded. */
    private static void end(SimulatedTarget disk, Duration bound) {
        SimProcess holder = disk.holder();
        World world = World.current();
        long begin = world.now();
        holder.terminate();
        while (!holder.isDead() && world.now() < begin + bound.toNanos()) {
            if (world.now() > begin + GRACE_NANOS) {
                holder.kill();
            }
            try {
                SimTime.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static boolean isLeftBehind(SessionOwner held, SessionOwner asked) {
        return !held.opening().isEmpty()
                && held.opening().equals(asked.opening())
                && held.attempt() < asked.attempt();
    }

    /** KILL, when it does not end by itself. */
    private static void endLeftBehind(SimulatedTarget disk) {
        SimProcess holder = disk.holder();
        World world = World.current();
        long end = world.now() + LEFT_BEHIND_NANOS;
        while (disk.holder() == holder && world.now() < end) {
            try {
                SimTime.sleep(10);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        if (disk.holder() == holder) {
            holder.kill();
        }
    }

    /** What a mistake makes of {@link #end}: the lock is taken from who goes on. */
    static void ignore(SimulatedTarget disk, Duration bound) {
        disk.setHolder(null);
    }

    /** What another mistake makes of it: it ends some time after the lock was taken. */
    static void endLater(SimulatedTarget disk, Duration bound) {
        SimProcess holder = disk.holder();
        disk.setHolder(null);
        World world = World.current();
        var unused = world.after(world.random().nextLong(LATE_NANOS), holder::kill);
    }

    /** The same of a node's copy, after whatever a program does in a few seconds. */
    static void endMuchLater(SimulatedTarget disk, Duration bound) {
        SimProcess holder = disk.holder();
        disk.setHolder(null);
        World world = World.current();
        var unused = world.after(world.random().nextLong(MUCH_LATER_NANOS), holder::kill);
    }

    public static String holder(Path path) {
        SimProcess holder = disk().holder();
        return holder == null ? "" : holder.toString();
    }

    public static void removeUnless(ReplicaLock lock, Path journal) {}

    public static void close(ReplicaLock lock) {
        disk().setHolder(null);
    }

    // ---- the files ----

    public static OpenReplica open(ReplicaPaths paths) {
        if (disk().condition() == OTHER_POOL) {
            World.current().count(Happening.WRONG_REPLICA);
        }
        SimProcess user = disk().user();
        if (user != null && user != World.current().process()) {
            throw new Refusal(
                    Code.ACCESS,
                    "The target's files cannot be opened: they are in use by " + user,
                    "Mend that on the target.");
        }
        if (!found().exists()) {
            throw new Refusal(
                    Code.NOT_FOUND,
                    "The replica has no files on the target.",
                    "Open the pool, and it is made.");
        }
        return made(
                OpenReplica.class,
                new Class<?>[] {
                    PoolFiles.class,
                    JournalMemory.class,
                    PendingHeader.class,
                    ReplicaStore.class,
                    OpenReaders.class
                },
                null,
                null,
                null,
                found().open().store(),
                OpenReaders.NONE);
    }

    public static OpenReplica create(
            ReplicaPaths paths, Blob header, long imageBytes, int mode, long journalBytes) {
        require(FULL, Happening.DISK_FULL, "posix_fallocate", "No space left on device");
        found().create(header);
        return open(paths);
    }

    public static void close(OpenReplica replica) {}

    public static Blob header(OpenReplica replica) {
        return found().header();
    }

    public static long imageBytes(OpenReplica replica) {
        return found().image().memory().size();
    }

    public static PoolUuid poolsetUuid(OpenReplica replica) {
        return found().uuid();
    }

    /** The network card can store to it, where there is one. */
    public static PersistenceDomain journalDomain(OpenReplica replica) {
        return PersistenceDomain.FORCED;
    }

    /** What is there may be somebody's. */
    public static boolean holdsNothing(ReplicaPaths paths) {
        return !found().exists();
    }

    public static void remove(ReplicaRemoval removal, boolean force) {
        found().remove();
    }

    public static void clear(ReplicaRemoval removal, PoolUuid uuid) {
        found().remove();
    }

    // ---- what a node's program and its agents find ----

    /** Of a target that is no node's nobody looks at the journal past the agent. */
    public static boolean exists(JournalPlace journal) {
        return disk().isOfNode() && found().exists();
    }

    public static Optional<ReplicaSlot> slotOf(JournalPlace journal) {
        return exists(journal) ? Optional.of(found().slot()) : Optional.empty();
    }

    public static boolean isUnfinished(JournalPlace journal) {
        return false;
    }

    public static Optional<PoolUuid> journalUuid(JournalPlace journal) {
        return exists(journal) ? Optional.of(found().uuid()) : Optional.empty();
    }

    public static ReplicaInspection inspect(ReplicaPaths paths, boolean held) {
        SimulatedTarget disk = found();
        if (!disk.exists()) {
            return new ReplicaInspection(null, Blob.EMPTY, List.of(), "");
        }
        String program = disk.user() == null ? "" : disk.user().toString();
        return new ReplicaInspection(disk.slotReport(), disk.header(), List.of(), program);
    }

    /** No copy of a node has a disk journal here. */
    public static void recoverFiles(ReplicaPaths paths) {}

    public static RecordedTerms recordedTerms() {
        return SimulatedNode.recordedTerms();
    }

    // ---- everything else ----

    public static void nextBytes(RandomGenerator random, byte[] bytes) {
        World.current().random().nextBytes(bytes);
    }

    public static int nextInt(RandomGenerator random, int bound) {
        return World.current().random().nextInt(bound);
    }

    public static Fabric verbs(TargetMachine machine, WaitStrategy wait) {
        return fabric;
    }

    public static TargetListener listen(
            TcpFabric tcp, InetAddress address, int port, byte[] secret, MemorySegment region) {
        return fabric.listen(address, port, secret, region);
    }

    public static void secret(SecureRandom random, byte[] bytes) {
        World.current().random().nextBytes(bytes);
    }

    public static String hostName() {
        return "simulated";
    }

    /** As {@code RunNumbers}, whose chance is nobody's here but the seed's. */
    public static long fresh(long above, RandomGenerator random) {
        long even = above + (above & 1);
        return even + 2 * ((1L << 20) + (World.current().random().nextLong() >>> 24));
    }

    public static Logger logger(Class<?> type) {
        return NOPLogger.NOP_LOGGER;
    }
}
