package io.farheap.agent.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.agent.data.FakeSysfs;
import io.farheap.agent.data.TargetMachine;
import io.farheap.agent.records.RecordWriter;
import io.farheap.agent.replica.OpenReplica;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.DeviceDax;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.testing.CrashSimulation;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A target's directories for hostile initiators: one replica, {@code bank.set}, in a state of
 * choice, among files that are none of an initiator's business. Each input begins with the same
 * bytes on disk, and what it changed elsewhere is found.
 */
final class HostileGround {
    static final long L = 444;
    static final long N = 5000;
    static final String LAYOUT = "test";
    static final long PART_BYTES = 10 << 20;

    /** As large as a pool, so that it could be taken for one. */
    private static final long POOL_BYTES = 2 << 20;

    private static final long SMALL_BYTES = 64 << 10;
    static final PoolUuid POOL =
            PoolUuid.of("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));

    private static final String POOLSET = "sets/bank.set";
    private static final List<String> FILES = List.of("part0", "part0.journal");

    /** What an initiator may change, make or remove: its own replica. */
    private static final Set<String> OWN =
            Set.of(
                    "sets/part0",
                    "sets/part0.journal",
                    "sets/part0.journal.lock",
                    "sets/part0.readers");

    /** The states that a replica may be found in. */
    enum Found {
        NOTHING,
        FRESH,
        MEMBER,
        HALF_COPIED,
        PROMOTED,
        LAGGING,
        MEMORY;

        /** Whether it has a copy of the pool in that number. */
        boolean isOf(long number) {
            return number == N && (this == MEMBER || this == PROMOTED || this == LAGGING);
        }
    }

    private static final Blob ATTRIBUTES = TestInitiator.attributes("THINGS", 1, POOL);

    private final Path root;
    private final Path sets;
    private final AgentConfiguration configuration;
    private final TargetMachine machine;
    private final Map<Found, Map<String, SparseFile>> replicas = new EnumMap<>(Found.class);

    /** By their names, where each was before. */
    private final Map<String, Path> bystanders;

    private HostileGround(Path root) throws IOException {
        this.root = root;
        this.sets = Files.createDirectories(root.resolve("sets"));
        Path outside = Files.createDirectories(root.resolve("outside"));
        Files.writeString(sets.resolve("bank.set"), poolset("part0"));
        // A pool of the target's own, no replica of anybody.
        Files.writeString(sets.resolve("own.set"), poolset("own0"));
        sized(sets.resolve("own0"), SMALL_BYTES);
        sized(sets.resolve("backup.tar"), POOL_BYTES);
        Files.writeString(sets.resolve("notes.txt"), "PMEMPOOLSET is written first");
        Files.writeString(outside.resolve("other.set"), poolset("../outside/part1"));
        sized(outside.resolve("part1"), SMALL_BYTES);
        Files.createSymbolicLink(sets.resolve("link.set"), outside.resolve("other.set"));
        Files.createSymbolicLink(sets.resolve("loop"), sets.resolve("loop"));
        Files.createSymbolicLink(sets.resolve("away"), outside);
        Files.createDirectory(sets.resolve("directory"));
        this.configuration = configuration(sets);
        FakeSysfs sysfs = new FakeSysfs(Files.createDirectory(root.resolve("sys")));
        sysfs.device("rdma0", "lo", "127.0.0.1", true);
        // what stands in for verbs is the tcp fabric
        this.machine =
                new TargetMachine(sysfs.root, sysfs::addressesOf, TcpFabric::new, DeviceDax::map);
        for (Found found : Found.values()) {
            make(found);
        }
        this.bystanders = everythingElse();
        for (Map.Entry<String, Path> bystander : bystanders.entrySet()) {
            bystander.setValue(copyOf(bystander.getValue()));
        }
    }

    private Path copyOf(Path file) throws IOException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return file;
        }
        Path copy = root.resolve("template-" + file.getFileName());
        return Files.copy(file, copy);
    }

    static HostileGround create() throws IOException {
        return new HostileGround(Files.createTempDirectory("farheap"));
    }

    private static AgentConfiguration configuration(Path sets) {
        Map<Key, String> values = new EnumMap<>(Key.class);
        values.put(Key.POOLSET_DIR, sets.toString());
        values.put(Key.JOURNAL_SIZE, "64K");
        return AgentConfiguration.of(values, sets);
    }

    private String poolset(String part) {
        return "PMEMPOOLSET\n10M " + sets.resolve(part) + "\n";
    }

    private static void sized(Path file, long bytes) throws IOException {
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(bytes);
        }
    }

    AgentConfiguration configuration() {
        return configuration;
    }

    /** It seems to have an RDMA device. */
    TargetMachine machine() {
        return machine;
    }

    Path directory() {
        return sets;
    }

    private ReplicaPaths paths() {
        return ReplicaPaths.of(new PoolsetDirectory(sets), "bank.set");
    }

    private void make(Found found) throws IOException {
        Map<String, SparseFile> files = new TreeMap<>();
        replicas.put(found, files);
        if (found == Found.NOTHING) {
            return;
        }
        boolean memory = found == Found.MEMORY;
        try (OpenReplica replica =
                memory
                        ? OpenReplica.createMemory(paths(), ATTRIBUTES, PART_BYTES, 64 << 10)
                        : OpenReplica.create(
                                paths(), TestInitiator.header(POOL), PART_BYTES, 0600, 64 << 10)) {
            lead(replica.store(), found);
        }
        for (String file : FILES) {
            files.put(file, SparseFile.of(sets.resolve(file)));
            Files.delete(sets.resolve(file));
        }
    }

    private static void lead(ReplicaStore store, Found found) {
        if (found == Found.FRESH) {
            return;
        }
        if (found == Found.MEMORY) {
            store.startMemory(N);
            fill(store);
            return;
        }
        var unused = store.switching().attach(L, N, List.of(), SlotReport.NOT_KNOWN, false);
        store.switching().startSync();
        if (found == Found.HALF_COPIED) {
            return;
        }
        MemorySegment descriptor = descriptor();
        store.switching().putImage(Descriptor.OFFSET, descriptor, 0, descriptor.byteSize());
        store.switching().syncComplete(N, LAYOUT);
        store.switching().confirm(N, found == Found.LAGGING);
        fill(store);
        if (found == Found.PROMOTED) {
            assertThat(store.ownership().promote()).isEqualTo(40);
        }
    }

    private static void fill(ReplicaStore store) {
        RecordWriter records = new RecordWriter(store.intake().ring(), N);
        for (int i = 0; i < 40; i++) {
            records.set(0, Descriptor.DEFAULT_HEAP_OFFSET + 64L * i, i);
        }
        long tail = store.intake().flush(0, records.position());
        assertThat(tail).isEqualTo(40);
    }

    /** An empty pool's descriptor. */
    static MemorySegment descriptor() {
        CrashSimulation pool = new CrashSimulation(PART_BYTES);
        Descriptor descriptor = new Descriptor(pool.memory());
        descriptor.format(LAYOUT);
        descriptor.seal();
        return pool.memory().image().asSlice(Descriptor.OFFSET, Descriptor.END - Descriptor.OFFSET);
    }

    /** A hello as an honest initiator's. */
    static Request.Hello hello(
            Purpose purpose, String poolset, long runId, boolean overwrite, boolean takeOver) {
        boolean attach = purpose == Purpose.ATTACH;
        boolean returns = purpose == Purpose.RETURN;
        boolean sized = attach || purpose.isMemory();
        Blob ofPool = attach ? TestInitiator.header(POOL) : Blob.EMPTY;
        return new Request.Hello(
                Reply.VERSION,
                purpose,
                poolset,
                attach || returns ? HexFormat.of().formatHex(POOL.bytes()) : "",
                attach ? LAYOUT : "",
                sized ? PART_BYTES : 0,
                purpose == Purpose.CREATE_MEMORY ? ATTRIBUTES : ofPool,
                runId,
                sized ? 2 * N : 0,
                List.of(),
                SlotReport.NOT_KNOWN,
                overwrite,
                takeOver,
                false,
                "a test",
                1000,
                new SessionOwner("0123456789abcdef0123456789abcdef", 7),
                FabricKind.TCP_ONLY,
                null,
                returns ? 3L : null,
                null);
    }

    /** Puts the replica where an input finds it. */
    void prepare(Found found) throws IOException {
        for (String file : FILES) {
            SparseFile content = replicas.get(found).get(file);
            if (content != null) {
                content.writeTo(sets.resolve(file));
            } else {
                Files.deleteIfExists(sets.resolve(file));
            }
        }
        Files.deleteIfExists(sets.resolve("part0.journal.lock"));
        Files.writeString(sets.resolve("bank.set"), poolset("part0"));
    }

    /**
     * Fails when anything but the replica changed, or that cannot be read any more.
     *
     * @param removed whether the poolset file may be gone, too
     */
    void check(boolean removed) throws IOException {
        checkBystanders(removed);
        boolean there = Files.exists(sets.resolve("bank.set"));
        if (there && Files.exists(sets.resolve("part0.journal"))) {
            assertThat(ReplicaInspection.of(paths(), true).slot()).as("the slot").isNotNull();
        }
    }

    /** The same, where the replica itself may have been damaged before. */
    void checkBystanders(boolean removed) throws IOException {
        Map<String, Path> now = everythingElse();
        if (removed && !now.containsKey(POOLSET)) {
            now.put(POOLSET, bystanders.get(POOLSET));
        }
        assertThat(now.keySet()).as("files").isEqualTo(bystanders.keySet());
        for (Map.Entry<String, Path> bystander : now.entrySet()) {
            requireSame(bystander.getKey(), bystander.getValue());
        }
    }

    private void requireSame(String name, Path file) throws IOException {
        Path before = bystanders.get(name);
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            assertThat(Files.mismatch(file, before)).as(name).isEqualTo(-1);
        } else {
            assertThat(Files.isSymbolicLink(file) || Files.isDirectory(file)).as(name).isTrue();
        }
    }

    private Map<String, Path> everythingElse() throws IOException {
        Map<String, Path> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.toList()) {
                String name = root.relativize(file).toString();
                if (!OWN.contains(name) && !name.startsWith("template-")) {
                    found.put(name, file);
                }
            }
        }
        return found;
    }

    void delete() throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
