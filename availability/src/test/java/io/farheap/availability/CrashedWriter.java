package io.farheap.availability;

import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.agent.Promotion;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.layout.Descriptor;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.Pacer;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.SwitchRecorder;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.stream.LagBound;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicatedPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionTimeoutException;

/**
 * One history of three nodes with real files, agents and switches: the writer opens the pool, loses
 * a copy, gets it back, and stops at a point on the way; then the copies of the recorded set take
 * over, one after the other. The store is in memory, and answers badly.
 */
final class CrashedWriter {
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final PoolKeys KEYS = new PoolKeys("test", "pool");
    private static final String LAYOUT = "numbers";
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofSeconds(4);

    private final Path directory;
    private final BrokenRule rule;
    private final MemoryStore store = new MemoryStore(LONG);
    private int minCopies = 1;
    private long acknowledged;

    /** Never reached, if it is a node. */
    private String away = "";

    /** What a history begins with: a pool that was made and closed. */
    record Beginning(Path files, MemoryStore.Backup store) {}

    CrashedWriter(Path directory, BrokenRule rule) {
        this.directory = directory;
        this.rule = rule;
    }

    private Path node(String name) {
        return directory.resolve(name);
    }

    /** Makes the pool, and keeps a copy of all there is. */
    static Beginning begin(Path directory) throws IOException {
        CrashedWriter first = new CrashedWriter(directory, BrokenRule.NONE);
        for (String name : NAMES) {
            Files.createDirectories(first.node(name));
            String part = "PMEMPOOLSET\n8M " + first.node(name).resolve("pool.part0") + "\n";
            Files.writeString(first.node(name).resolve("copy.set"), part);
            String others =
                    NAMES.stream()
                            .filter(other -> !other.equals(name))
                            .map(other -> "REPLICA " + other + " copy.set\n")
                            .collect(Collectors.joining());
            Files.writeString(first.node(name).resolve("writer.set"), part + others);
        }
        CrashPoint never = new CrashPoint(CrashPoint.NEVER);
        LocalAgents agents = new LocalAgents(first::node, never);
        Path set = first.node("a").resolve("writer.set");
        try (ObjectPool pool = ObjectPool.create(first.node("a").resolve("copy.set"), LAYOUT)) {
            Ref unused = pool.root(8);
        }
        try (ObjectPool pool =
                first.turn("a", StoreFaults.NONE, never, agents)
                        .create(() -> ObjectPool.open(set, LAYOUT))) {
            first.add(pool, never, 1);
        }
        agents.end();
        Path kept = directory.resolveSibling(directory.getFileName() + ".begin");
        copy(directory, kept);
        return new Beginning(kept, first.store.backup());
    }

    private static void copy(Path from, Path to) throws IOException {
        if (Files.exists(to)) {
            try (Stream<Path> old = Files.walk(to)) {
                for (Path file : old.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path unused = Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private WritersTurn turn(
            String node, StoreFaults faults, CrashPoint point, LocalAgents agents) {
        Promotion copy = Promotion.of(node(node).resolve("copy.set"));
        TermFile own = TermFile.beside(copy.firstPart());
        PoolRecord record =
                new PoolRecord(
                        new StoppableStore(store.connect(faults), point),
                        KEYS,
                        node,
                        own,
                        new Random());
        Map<RemoteReplica, String> nodes =
                NAMES.stream()
                        .collect(
                                Collectors.toMap(
                                        name -> new RemoteReplica(null, name, 0, "copy.set"),
                                        name -> name));
        return new WritersTurn(
                record, new RecordedSwitches.Plan(node, nodes, minCopies), settings(), copy, own) {
            @Override
            ReplicaSink attach(ReplicatedPool pool, SwitchRecorder recorder) {
                return RemoteReplication.attach(
                        stopping(pool, point),
                        AttachOptions.NONE,
                        settings(),
                        agents,
                        rule.breaking(recorder, point));
            }
        };
    }

    /** Before and after it has a number, the machine may stop. */
    private static ReplicatedPool stopping(ReplicatedPool pool, CrashPoint point) {
        return (ReplicatedPool)
                Proxy.newProxyInstance(
                        CrashedWriter.class.getClassLoader(),
                        new Class<?>[] {ReplicatedPool.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("switchRunId")) {
                                point.before("the pool's number");
                            }
                            try {
                                return method.invoke(pool, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static ReplicationSettings settings() {
        return new ReplicationSettings(
                LONG,
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                LONG,
                WaitStrategy.DEFAULT,
                false,
                "none",
                List.of("none"),
                ReplicaPolicies.FAIL,
                Duration.ofMillis(100),
                LagBound.DEFAULT,
                FabricUse.TCP,
                TlsAgents.NONE,
                Pacer.NO_LIMIT);
    }

    /**
     * @param events are filled with all that happened before the writer stopped
     * @return what is wrong; null: nothing
     */
    String run(Beginning beginning, CrashPoint point, StoreFaults faults, List<String> events)
            throws IOException {
        copy(beginning.files(), directory);
        store.restore(beginning.store(), false);
        write(point, faults);
        events.addAll(point.events());
        if (events.size() % 2 == 0) {
            deliverAll();
        }
        String wrong = judge();
        if (wrong == null) {
            wrong = takeOver(events.size());
        }
        return wrong;
    }

    /**
     * The third copy is lost, then the writer; the node that is left takes over with the former
     * writer's copy, and stops at a point on the way. Then either of the two takes over with the
     * other one's copy, as no commit is to be in one copy only.
     *
     * @param again who does that first
     */
    String runWithTwoLeft(Beginning beginning, CrashPoint point, String again, List<String> events)
            throws IOException {
        copy(beginning.files(), directory);
        store.restore(beginning.store(), false);
        minCopies = 2;
        CrashPoint never = new CrashPoint(CrashPoint.NEVER);
        LocalAgents first = new LocalAgents(this::node, never);
        ObjectPool pool =
                turn("a", StoreFaults.NONE, never, first)
                        .open(() -> ObjectPool.open(node("a").resolve("writer.set"), LAYOUT));
        add(pool, never, 2);
        first.lose("c");
        away = "c";
        add(pool, never, 2);
        never.stop();
        first.end();
        closeStopped(pool);
        first.end();
        takeOverAndStop(point);
        events.addAll(point.events());
        String wrong = judge();
        for (String node : List.of(again, again.equals("a") ? "b" : "a")) {
            wrong = wrong == null ? open(node) : wrong;
        }
        return wrong == null ? null : wrong + ", record " + record();
    }

    private void takeOverAndStop(CrashPoint point) {
        LocalAgents agents = new LocalAgents(this::node, point);
        agents.lose(away);
        ObjectPool pool = null;
        try {
            pool =
                    turn("b", StoreFaults.NONE, point, agents)
                            .open(() -> ObjectPool.open(node("b").resolve("writer.set"), LAYOUT));
            add(pool, point, 2);
        } catch (CrashPoint.Crash | FarheapException e) {
            // it stopped
        } finally {
            point.stop();
            agents.end();
            if (pool != null) {
                closeStopped(pool);
            }
            agents.end();
        }
    }

    private void write(CrashPoint point, StoreFaults faults) {
        LocalAgents agents = new LocalAgents(this::node, point);
        Path set = node("a").resolve("writer.set");
        ObjectPool pool = null;
        try {
            pool = turn("a", faults, point, agents).open(() -> ObjectPool.open(set, LAYOUT));
            add(pool, point, 2);
            agents.lose("c");
            add(pool, point, 2);
            agents.findAgain("c");
            ObjectPool opened = pool;
            await().atMost(SHORT)
                    .until(
                            () ->
                                    point.isOver()
                                            || opened.replicas().stream()
                                                    .allMatch(
                                                            one -> one.state() == State.ATTACHED));
            add(pool, point, 2);
        } catch (CrashPoint.Crash | FarheapException | ConditionTimeoutException e) {
            // it stopped, or could not go on: the others find out
        } finally {
            point.stop();
            agents.end();
            if (pool != null) {
                closeStopped(pool);
            }
            agents.end();
        }
    }

    private static void closeStopped(ObjectPool pool) {
        try {
            pool.close();
        } catch (CrashPoint.Crash | FarheapException e) {
            // nobody hears of it
        }
    }

    private void add(ObjectPool pool, CrashPoint point, int count) {
        Ref root = pool.root(8);
        for (int i = 0; i < count; i++) {
            long next = pool.getLong(root, 0) + 1;
            try {
                pool.transaction(tx -> tx.setLong(root, 0, next));
                if (!point.isOver()) {
                    acknowledged = next;
                }
            } catch (FarheapException e) {
                if (point.isOver()) {
                    return;
                }
            }
        }
    }

    private ClusterRecord record() {
        return ClusterRecordCodec.decode(
                KEYS.record(),
                store.connect(StoreFaults.NONE).read(KEYS.record()).value().orElseThrow());
    }

    /** Every copy that the record names can take over. */
    private String judge() {
        ClusterRecord record = record();
        for (String name : record.set()) {
            OwnCopy copy = own(name);
            if (!copy.mayBecome(record.number())) {
                return name + " could not take over: " + copy + ", and the record says " + record;
            }
        }
        return null;
    }

    private OwnCopy own(String name) {
        Promotion copy = Promotion.of(node(name).resolve("copy.set"));
        if (!copy.hasJournal()) {
            long number = number(copy.firstPart());
            return new OwnCopy(true, number, TermFile.beside(copy.firstPart()).nextOf(number));
        }
        SlotReport slot = copy.look().slot();
        if (slot.state() == ReplicaState.PROMOTED) { // its own files tell
            long number = number(copy.firstPart());
            return new OwnCopy(true, number, TermFile.beside(copy.firstPart()).nextOf(number));
        }
        return new OwnCopy(slot.state() == ReplicaState.INSYNC, slot.cur(), slot.next());
    }

    private static long number(Path part) {
        try (var channel = Files.newByteChannel(part)) {
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            int unused = channel.position(Descriptor.RUN_ID).read(bytes);
            return bytes.getLong(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One of the set, then another one: each has every commit that returned before. */
    private String takeOver(int chosen) {
        List<String> turns = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            SortedSet<String> set = record().set();
            List<String> left = set.stream().filter(name -> !turns.contains(name)).toList();
            if (left.isEmpty()) {
                return null;
            }
            String node = left.get(chosen % left.size());
            turns.add(node);
            String wrong = open(node);
            if (wrong != null) {
                return wrong + ", in turns " + turns + ", record " + record();
            }
        }
        return null;
    }

    private void deliverAll() {
        while (store.deliverLate()) {
            // the next one
        }
    }

    private String open(String node) {
        CrashPoint never = new CrashPoint(CrashPoint.NEVER);
        LocalAgents agents = new LocalAgents(this::node, never);
        if (!away.isEmpty()) {
            agents.lose(away);
        }
        Path set = node(node).resolve("writer.set");
        Supplier<ObjectPool> opening = () -> ObjectPool.open(set, LAYOUT);
        try (ObjectPool pool = turn(node, StoreFaults.NONE, never, agents).open(opening)) {
            deliverAll();
            long found = pool.getLong(pool.root(8), 0);
            if (found < acknowledged) {
                return node + " has " + found + " of " + acknowledged + " acknowledged commits";
            }
            add(pool, never, 1);
            return acknowledged == found + 1 ? null : node + " commits nothing";
        } catch (FarheapException e) {
            return node + " does not open the pool: " + e.getMessage();
        } finally {
            agents.end();
        }
    }
}
