package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.base.StatisticsMode;
import io.farheap.engine.TxSettings;
import io.farheap.layout.Descriptor;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.LinuxCalls;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each option of the control name space shows its effect. */
class PoolOptionsTest {
    private static final long SIZE = 8 << 20;
    private static final long TYPE = 4;
    private static final PoolOptions OPTIONS = PoolOptions.defaults();

    @TempDir Path dir;
    private Path file;

    @BeforeEach
    void name() {
        file = dir.resolve("pool");
    }

    private ObjectPool create(PoolOptions options) {
        return ObjectPool.at(file).layout("test").size(SIZE).options(options).create();
    }

    private PoolHeader header() throws IOException {
        byte[] page = new byte[(int) PoolHeader.SIZE];
        try (RandomAccessFile pool = new RandomAccessFile(file.toFile(), "r")) {
            pool.readFully(page);
        }
        return new PoolHeader(MemorySegment.ofArray(page));
    }

    private long blocks() throws IOException {
        String out = new String(run("stat", "-c", "%b", file.toString()).readAllBytes());
        return Long.parseLong(out.strip());
    }

    private static java.io.InputStream run(String... command) throws IOException {
        return new ProcessBuilder(command).start().getInputStream();
    }

    /** Kilobytes of the pool's mapping that are in memory. */
    private long residentKilobytes() throws IOException {
        List<String> maps = Files.readAllLines(Path.of("/proc/self/smaps"));
        long sum = 0;
        boolean ours = false;
        for (String line : maps) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                ours = line.endsWith(file.toString());
            } else if (ours && line.startsWith("Rss:")) {
                sum += Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return sum;
    }

    @Test
    void prefaultTouchesEveryPage() throws IOException {
        try (ObjectPool pool = create(PoolOptions.builder().prefaultAtCreate(true).build())) {
            assertThat(pool.options().prefaultAtCreate()).isTrue();
            assertThat(residentKilobytes()).isEqualTo(SIZE / 1024);
        }
        try (ObjectPool pool = ObjectPool.open(file, "test")) {
            assertThat(residentKilobytes()).isLessThan(SIZE / 1024);
            assertThat(pool.options().prefaultAtOpen()).isFalse();
        }
        PoolOptions prefault = OPTIONS.withQueries("prefault.at_open=1");
        try (ObjectPool pool = ObjectPool.at(file).layout("test").options(prefault).open()) {
            assertThat(residentKilobytes()).isEqualTo(SIZE / 1024);
            assertThat(pool.options().prefaultAtOpen()).isTrue();
        }
    }

    @Test
    void sdsIsAFeatureOfNewPools() throws IOException {
        create(OPTIONS).close();
        assertThat(header().features())
                .isEqualTo(new FeatureFlags(FeatureFlags.CHECK_BAD_BLOCKS, 0x6, 0));
        Files.delete(file);
        try (ObjectPool pool = create(PoolOptions.builder().shutdownState(false).build())) {
            assertThat(pool.root(8).isNull()).isFalse();
            assertThat(header().shutdownState().isDirty()).isFalse();
        }
        assertThat(header().features())
                .isEqualTo(new FeatureFlags(FeatureFlags.CHECK_BAD_BLOCKS, 0x2, 0));
        ObjectPool.open(file, "test").close();
    }

    @Test
    @LinuxCalls("holes that a file has get no space")
    void fallocateLeavesExistingFilesSparse() throws IOException {
        for (boolean allocated : List.of(false, true)) {
            try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
                sparse.setLength(SIZE);
            }
            ObjectPool.at(file)
                    .layout("test")
                    .options(PoolOptions.builder().allocatedSpace(allocated).build())
                    .create()
                    .close();
            assertThat(blocks() * 512 >= SIZE).isEqualTo(allocated);
            Files.delete(file);
        }
    }

    @Test
    void modeIsThatOfTheFiles() throws IOException {
        create(PoolOptions.builder().mode(0640).build()).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
    }

    @Test
    void copyOnWriteVanishes() throws IOException {
        try (ObjectPool pool = create(OPTIONS)) {
            pool.setLong(pool.root(64), 0, 1);
        }
        byte[] before = Files.readAllBytes(file);
        try (ObjectPool pool =
                ObjectPool.at(file)
                        .layout("test")
                        .options(PoolOptions.builder().copyOnWrite(true).build())
                        .open()) {
            pool.setLong(pool.root(), 0, 2);
            pool.transaction(tx -> tx.allocate(100, TYPE));
            assertThat(pool.getLong(pool.root(), 0)).isEqualTo(2);
            assertThatThrownBy(() -> ObjectPool.open(file, "test"))
                    .as("locked like any other")
                    .hasMessageContaining("flock");
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void allocationClassesArenasAndPatternReachTheHeap() {
        PoolOptions options =
                OPTIONS.withQueries(
                        "heap.alloc_class.128.desc=512,0,500,none;heap.arenas_default_max=2;"
                                + "heap.narenas.max=2000;heap.thread.arena_id=2;"
                                + "heap.arena.1.automatic=0;debug.heap.alloc_pattern=0x55;"
                                + "heap.size.granularity=0;heap.alloc_class.new.desc=640,64,99,compact");
        try (ObjectPool pool = create(options)) {
            assertThat(pool.heap().allocationClass(128).orElseThrow())
                    .returns(512L, AllocationClassDescriptor::unitSize)
                    .returns(HeaderType.NONE, AllocationClassDescriptor::headerType);
            assertThat(pool.heap().allocationClass(54).orElseThrow().alignment()).isEqualTo(64);
            assertThat(pool.heap().arenas()).isEqualTo(2);
            assertThat(pool.heap().maxArenas()).isEqualTo(2000);
            assertThat(pool.heap().threadArena()).isEqualTo(2);
            assertThat(pool.heap().isArenaAutomatic(1)).isFalse();
            assertThat(pool.heap().allocationPattern()).isEqualTo(0x55);
            assertThat(pool.heap().granularity()).isZero();
        }
    }

    @Test
    void whatTheHeapRefusesLeavesNoPoolBehind() {
        assertThatThrownBy(
                        () ->
                                create(
                                        PoolOptions.builder()
                                                .newAllocationClass(100, 64, 10, HeaderType.COMPACT)
                                                .build()))
                .isInstanceOf(FarheapException.class);
        assertThat(file).doesNotExist();
        assertThatThrownBy(() -> create(PoolOptions.builder().maxArenas(1).build()))
                .isInstanceOf(FarheapException.class);
        assertThat(file).doesNotExist();
        create(OPTIONS).close();
    }

    @Test
    void whatNoPoolCanHaveIsRefused() {
        PoolOptionsBuilder said = PoolOptions.builder();
        for (Supplier<PoolOptions> impossible :
                List.<Supplier<PoolOptions>>of(
                        () -> said.arenas(0).build(),
                        () -> PoolOptions.builder().maxArenas(0).build(),
                        () -> PoolOptions.builder().threadArena(0).build(),
                        () -> PoolOptions.builder().automaticArena(0, true).build(),
                        () -> PoolOptions.builder().granularity(5).build(),
                        () -> PoolOptions.builder().undoExtensionBytes(-1).build(),
                        () -> PoolOptions.builder().lockTimeout(Duration.ZERO).build(),
                        () -> PoolOptions.builder().closeTimeout(Duration.ofSeconds(-1)).build(),
                        () -> PoolOptions.builder().oldBytes(0).build(),
                        () -> PoolOptions.builder().oldBytes(-1).build())) {
            assertThatThrownBy(impossible::get).isInstanceOf(FarheapException.class);
        }
    }

    // ---- what the environment says, too ----

    @Test
    void theProgramsOldBytesGoOverTheEnvironments() {
        TxSettings environment = TxSettings.fromEnvironment(Map.of("FARHEAP_OLD_BYTES", "5000"));
        assertThat(OPTIONS.over(environment).oldBytes()).isEqualTo(5000);
        PoolOptions said = PoolOptions.builder().oldBytes(70).build();
        assertThat(said.over(environment).oldBytes()).isEqualTo(70);
        assertThat(said.toBuilder().build().over(environment).oldBytes()).isEqualTo(70);
        assertThat(TxSettings.fromEnvironment(Map.of("FARHEAP_OLD_BYTES", "many")))
                .isEqualTo(TxSettings.DEFAULTS)
                .returns(Runtime.getRuntime().maxMemory() / 8, TxSettings::oldBytes);
    }

    @Test
    @LinuxCalls("nothing counts as persistent memory")
    void theFilesCountAsThePersistenceThatIsSaid() {
        for (PersistenceDomain said :
                List.of(PersistenceDomain.FORCED, PersistenceDomain.PAGE_CACHE)) {
            PoolOptions options = PoolOptions.builder().persistence(said).build();
            try (ObjectPool pool =
                    ObjectPool.at(file).layout("test").size(SIZE).options(options).openOrCreate()) {
                assertThat(pool.persistenceDomain()).isEqualTo(said);
            }
        }
    }

    @Test
    void waitsEndWhenTheProgramSays() throws InterruptedException {
        PoolOptions impatient =
                PoolOptions.builder()
                        .lockTimeout(Duration.ofMillis(30))
                        .closeTimeout(Duration.ofMillis(40))
                        .build();
        TransactionLock lock = new TransactionLock();
        CountDownLatch locked = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        ObjectPool pool = create(impatient);
        Thread holder =
                Thread.startVirtualThread(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.lock(lock);
                                            locked.countDown();
                                            Awaitility.await().until(() -> enough.getCount() == 0);
                                        }));
        locked.await();

        assertThatThrownBy(() -> pool.transaction(tx -> tx.lock(lock)))
                .hasMessageContaining("30 ms");
        assertThatThrownBy(pool::close).hasMessageContaining("40 ms");

        enough.countDown();
        holder.join();
        pool.close();
    }

    // ---- statistics ----

    @Test
    void thePersistentCountIsKeptInThePoolWhileItIsWanted() {
        try (ObjectPool pool = create(OPTIONS)) {
            assertThat(pool.control().statistics()).isEqualTo(StatisticsMode.TRANSIENT);
            pool.transaction(tx -> tx.allocate(100, TYPE));
            assertThat(pool.control().allocatedBytes()).isZero();
            assertThat(pool.control().runBytes()).isPositive();
            assertThat(pool.control().runBytesInUse()).isEqualTo(128);
            pool.control().setStatistics(StatisticsMode.BOTH);
            pool.transaction(tx -> tx.allocate(100, TYPE));
            pool.transaction(tx -> tx.allocate(300_000, TYPE));
            assertThat(pool.control().allocatedBytes()).isEqualTo(128 + 524_288);
            assertThat(pool.control().runBytesInUse()).isGreaterThan(128);
        }
        PoolOptions persistent =
                PoolOptions.builder().statistics(StatisticsMode.PERSISTENT).build();
        try (ObjectPool pool = ObjectPool.at(file).layout("test").options(persistent).open()) {
            assertThat(pool.control().allocatedBytes()).isEqualTo(128 + 524_288);
            assertThat(pool.control().runBytes()).as("not wanted").isZero();
            assertThat(pool.control().runBytesInUse()).as("not wanted").isZero();
            pool.transaction(tx -> tx.objects(TYPE).forEach(tx::free));
            assertThat(pool.control().allocatedBytes()).isEqualTo(-128);
            pool.control().setStatistics(StatisticsMode.DISABLED);
            pool.transaction(tx -> tx.allocate(100, TYPE));
            assertThat(pool.control().allocatedBytes()).isEqualTo(-128);
            assertThat(pool.control().runBytes()).isZero();
        }
    }

    /** Durable at close, and on a remote replica, as every other word. */
    @Test
    void theCountTravelsWithTheClose() {
        CrashSimulation machine = SimulatedPool.formatted();
        RecordingSink sink = new RecordingSink();
        ObjectPool pool = SimulatedPool.open(machine, sink);
        pool.control().setStatistics(StatisticsMode.PERSISTENT);
        pool.transaction(tx -> tx.allocate(100, TYPE));
        assertThat(sink.sets(Descriptor.CURR_ALLOCATED)).isEmpty();
        pool.close();
        assertThat(sink.sets(Descriptor.CURR_ALLOCATED)).containsExactly(128L);
        CrashSimulation restarted = machine.crash(CrashSimulation.Loss.ALL, null);
        assertThat(restarted.memory().getLong(Descriptor.CURR_ALLOCATED)).isEqualTo(128);
    }

    @Test
    void aMissingReplicaIsNoReasonNotToClose() {
        CrashSimulation machine = SimulatedPool.formatted();
        RecordingSink sink = new RecordingSink();
        ObjectPool pool = SimulatedPool.open(machine, sink);
        pool.control().setStatistics(StatisticsMode.BOTH);
        pool.transaction(tx -> tx.allocate(100, TYPE));
        sink.refuses = true;
        pool.close();
        CrashSimulation restarted = machine.crash(CrashSimulation.Loss.ALL, null);
        assertThat(restarted.memory().getLong(Descriptor.CURR_ALLOCATED)).isEqualTo(128);
    }

    // ---- tx.cache.size ----

    private static long extensionBytes(PoolOptions options, Path file) {
        try (ObjectPool pool =
                ObjectPool.at(file).layout("test").size(SIZE).options(options).create()) {
            pool.control().setStatistics(StatisticsMode.BOTH);
            Ref root = pool.root(4096);
            long before = pool.control().allocatedBytes();
            pool.transaction(tx -> tx.writeBytes(root, 0, new byte[2000]));
            assertThat(pool.transactions().cacheSize()).isEqualTo(options.undoExtensionBytes());
            return pool.control().allocatedBytes() - before;
        }
    }

    @Test
    void txCacheSizeIsThatOfUndoExtensions() {
        long usual = extensionBytes(OPTIONS, dir.resolve("usual"));
        assertThat(usual).isBetween(32768L, 45_000L);
        long small =
                extensionBytes(
                        PoolOptions.builder().undoExtensionBytes(2048).build(),
                        dir.resolve("small"));
        assertThat(small).isBetween(2048L, 4000L);
        long large =
                extensionBytes(
                        PoolOptions.builder().undoExtensionBytes(200_000).build(),
                        dir.resolve("large"));
        assertThat(large).isBetween(200_000L, 270_000L);
        long least =
                extensionBytes(
                        PoolOptions.builder().undoExtensionBytes(0).build(), dir.resolve("least"));
        assertThat(least).isBetween(64L, 4000L);
    }

    @Test
    void aKeptTransactionIsRefusedForEverWhereEachIsFresh(@TempDir Path directory) {
        PoolOptions options = PoolOptions.builder().freshTransactions(true).build();
        assertThat(PoolOptions.defaults().freshTransactions()).isFalse();
        try (ObjectPool pool =
                ObjectPool.at(directory.resolve("fresh"))
                        .layout("l")
                        .size(8 << 20)
                        .options(options)
                        .create()) {
            Ref root = pool.root(64);
            List<Transaction> kept = new ArrayList<>();
            pool.transaction(kept::add);
            for (int i = 0; i < 3000; i++) {
                pool.transaction(
                        tx -> {
                            assertThat(tx).isNotSameAs(kept.getFirst());
                            pool.transaction(inner -> assertThat(inner).isSameAs(tx));
                        });
            }
            pool.transaction(
                    tx ->
                            assertThatThrownBy(() -> kept.getFirst().setLong(root, 0, 1))
                                    .isInstanceOf(FarheapException.class)
                                    .hasMessageContaining("has ended"));
        }
    }
}
