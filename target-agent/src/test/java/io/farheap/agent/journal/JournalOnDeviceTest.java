package io.farheap.agent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.agent.data.TargetMachine;
import io.farheap.agent.replica.OpenReplica;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.replica.ReplicaRemoval;
import io.farheap.agent.session.TestInitiator;
import io.farheap.base.FarheapException;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.Blob;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.OwnerLayout;
import io.farheap.testing.CrashSimulation;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files play the devices: a made-up sysfs has them (a file's device number is 0:0) as device DAX of
 * 2 MiB and an alignment of 64 KiB.
 */
class JournalOnDeviceTest {
    private static final long DEVICE_BYTES = 2 << 20;
    private static final long RING = 64 << 10;
    private static final long DEVICE_PART = JournalLayout.RING + RING;
    private static final long IMAGE = 9 << 20;
    private static final CrashSimulation.Loss[] LOSSES = CrashSimulation.Loss.values();

    /** At each flush and fence. */
    private static final int CRASHES = 60;

    private static final Blob HEADER = TestInitiator.header(TestInitiator.POOL);

    @TempDir Path directory;
    private Path sysfs;
    private Path first;
    private Path second;
    private final List<String> told = new ArrayList<>();

    @BeforeEach
    void devices() throws IOException {
        directory = directory.toRealPath();
        sysfs = directory.resolve("sys");
        Path folder = Files.createDirectories(sysfs.resolve("dev/char/0:0"));
        Files.createDirectories(sysfs.resolve("bus/dax"));
        Files.createSymbolicLink(folder.resolve("subsystem"), sysfs.resolve("bus/dax"));
        Files.writeString(folder.resolve("size"), DEVICE_BYTES + "\n");
        Files.writeString(folder.resolve("align"), "65536\n");
        first = device("dax0.0");
        second = device("dax0.1");
    }

    private Path device(String name) throws IOException {
        Path path = directory.resolve(name);
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(DEVICE_BYTES);
        }
        return path;
    }

    private static MappedImage map(NativeFile file, long length, long alignment) {
        assertThat(length % alignment).isZero();
        return MappedImage.map(List.of(new Share(file, 0, length)), Access.SHARED);
    }

    private ReplicaPaths replica(String name, String... settings) throws IOException {
        Path folder = Files.createDirectories(directory.resolve(name));
        Files.writeString(
                folder.resolve("bank.set"), "PMEMPOOLSET\n10M " + folder.resolve("part0") + "\n");
        Map<Key, String> values = new EnumMap<>(Key.class);
        values.put(Key.JOURNAL_DEVICES, first + " " + second);
        for (int i = 0; i < settings.length; i += 2) {
            values.put(Key.of(settings[i]), settings[i + 1]);
        }
        TargetMachine machine =
                new TargetMachine(
                        sysfs, face -> List.of(), TcpFabric::new, JournalOnDeviceTest::map);
        return ReplicaPaths.of(
                new PoolsetDirectory(folder),
                "bank.set",
                machine.journalDevices(AgentConfiguration.of(values, folder), told::add));
    }

    private static OpenReplica create(ReplicaPaths paths) {
        return OpenReplica.create(paths, HEADER, IMAGE, 0600, RING);
    }

    private static void make(ReplicaPaths paths) {
        create(paths).close();
    }

    private static Path link(ReplicaPaths paths) throws IOException {
        return Files.readSymbolicLink(paths.journal().path());
    }

    private static boolean isThere(ReplicaPaths paths) {
        return Files.exists(paths.journal().path(), LinkOption.NOFOLLOW_LINKS);
    }

    private byte[] begin(Path device) throws IOException {
        return Arrays.copyOf(Files.readAllBytes(device), (int) JournalLayout.RING);
    }

    private void write(Path device, long at, byte[] bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(device.toFile(), "rw")) {
            file.seek(at);
            file.write(bytes);
        }
    }

    @Test
    void aReplicasJournalIsOnTheFirstDeviceThatIsFreeAndGivenBackWithIt() throws IOException {
        ReplicaPaths bank = replica("a");
        ReplicaPaths other = replica("b");
        make(bank);
        make(other);
        assertThat(link(bank)).isEqualTo(first);
        assertThat(link(other)).isEqualTo(second);
        assertThat(told).isEmpty();
        assertThat(ReplicaInspection.of(bank, false).faults()).isEmpty();
        assertThat(ReplicaInspection.journalUuid(bank.journal())).contains(TestInitiator.POOL);

        new ReplicaRemoval(bank).remove(false);
        assertThat(isThere(bank)).isFalse();
        assertThat(begin(first)).containsOnly(0);
        try (OpenReplica open = OpenReplica.open(other)) {
            assertThat(open.store().intake().ring().byteSize()).isEqualTo(RING);
        }
        make(bank);
        assertThat(link(bank)).isEqualTo(first);
    }

    @Test
    void whereNoDeviceCanBeTakenItIsAFileAndWhyIsTold() throws IOException {
        make(replica("a"));
        write(second, 1 << 10, "a file system".getBytes(StandardCharsets.UTF_8));
        ReplicaPaths paths = replica("b");
        make(paths);

        assertThat(Files.isSymbolicLink(paths.journal().path())).isFalse();
        assertThat(told)
                .singleElement()
                .asString()
                .startsWith("The journal is made beside the replica's first part: ")
                .contains(first + " has the journal " + directory.resolve("a/part0.journal"))
                .contains(second + " holds something that is no journal of an agent");
        assertThat(Files.readAllBytes(second)).asString().contains("a file system");
    }

    @Test
    void orNoneIsMadeWhereNothingElseIsAllowed() throws IOException {
        Files.delete(first);
        Files.delete(second);
        ReplicaPaths paths =
                replica("b", "journal-devices", first + " /dev/null", "persist-general", "no");

        assertThatThrownBy(() -> create(paths))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("The target can make no journal on a device")
                .hasMessageContaining(first + " is not there")
                .hasMessageContaining("/dev/null is no device DAX");
        assertThat(isThere(paths)).isFalse();
    }

    @Test
    void aDeviceThatIsTooSmallOrInUseIsLeftAlone() throws IOException {
        try (NativeFile busy = NativeFile.open(second)) {
            busy.lock();
            OpenReplica.create(replica("a"), HEADER, IMAGE, 0600, 4 << 20).close();
        }
        assertThat(told)
                .singleElement()
                .asString()
                .contains(first + " has 2097152 bytes, and a journal of this journal-size 4210688")
                .contains(second + "\": Resource temporarily unavailable");
    }

    @Test
    void nobodyElseHasItOpenMeanwhile() throws IOException {
        ReplicaPaths paths = replica("a");
        try (OpenReplica open = create(paths)) {
            assertThat(open.journalDomain()).isNotNull();
            assertThatThrownBy(() -> OpenReplica.open(paths)).hasMessageContaining("in use");
            for (boolean force : List.of(false, true)) {
                assertThatThrownBy(() -> new ReplicaRemoval(paths).remove(force))
                        .hasMessageContaining("Nothing was removed");
            }
        }
        OpenReplica.open(paths).close();
    }

    @Test
    void devicesThatChangedTheirNumbersAreToldAndNotTaken() throws IOException {
        ReplicaPaths bank = replica("a");
        ReplicaPaths other = replica("b");
        make(bank);
        make(other);
        Path third = directory.resolve("dax1.0");
        Files.move(first, third);
        Files.move(second, first);
        Files.move(third, second);

        assertThatThrownBy(() -> OpenReplica.open(bank))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("has the journal " + other.journal().path());
        assertThat(ReplicaInspection.of(bank, false).faults())
                .anyMatch(fault -> fault.contains("has the journal " + other.journal().path()));
        new ReplicaRemoval(bank).remove(false);
        assertThat(isThere(bank)).isFalse();

        Files.delete(other.journal().path());
        Files.createSymbolicLink(other.journal().path(), first);
        OpenReplica.open(other).close();
    }

    @Test
    void aDeviceThatIsGoneIsNoReplicaWithoutAJournal() throws IOException {
        ReplicaPaths paths = replica("a");
        make(paths);
        Path away = directory.resolve("away");
        Files.move(first, away);

        assertThatThrownBy(() -> OpenReplica.open(paths))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("The device that has the journal");
        assertThat(ReplicaInspection.of(paths, false).faults())
                .anyMatch(fault -> fault.contains("leads to no device that is there"));

        Files.move(away, first);
        OpenReplica.open(paths).close();
    }

    /** What a crash leaves at each step, besides what {@link #powerLostWhileItIsTaken} finds. */
    @Test
    void aReplicaTakesItsDeviceAgainWhateverACrashLeft() throws IOException {
        ReplicaPaths paths = replica("a");
        make(paths);
        Path journal = paths.journal().path();

        // given back, but for the link; the parts are gone by then
        byte[] whole = Files.readAllBytes(first);
        write(first, 0, new byte[(int) JournalLayout.RING]);
        assertThat(ReplicaInspection.isUnfinished(paths.journal())).isTrue();
        Files.delete(paths.parts().get(0).path());
        new ReplicaRemoval(paths).clear(TestInitiator.POOL);
        assertThat(isThere(paths)).isFalse();

        // taken, without a link; another one comes first
        write(first, 0, whole);
        ReplicaPaths other = replica("b");
        make(other);
        assertThat(link(other)).isEqualTo(second);
        make(paths);
        assertThat(Files.readSymbolicLink(journal)).isEqualTo(first);

        // given back but for the link, and taken by another one
        new ReplicaRemoval(paths).remove(false);
        make(replica("c"));
        Files.createSymbolicLink(journal, first);
        assertThatThrownBy(() -> OpenReplica.open(paths)).hasMessageContaining("has the journal");
        new ReplicaRemoval(paths).clear(TestInitiator.POOL);
        assertThat(isThere(paths)).isFalse();
        OpenReplica.open(replica("c")).close();
    }

    @Test
    void powerLostWhileItIsTaken() {
        enumerate(
                machine -> JournalDevice.take(machine, "/srv/a.journal", DEVICE_PART),
                new CrashSimulation(DEVICE_PART));
    }

    @Test
    void powerLostWhileItIsGivenBack() {
        CrashSimulation machine = new CrashSimulation(DEVICE_PART);
        JournalDevice.take(machine.memory(), "/srv/a.journal", DEVICE_PART);
        JournalFile.format(machine.memory(), RING, TestInitiator.POOL.bytes(), 7);
        enumerate(JournalDevice::giveBack, machine);
    }

    /** At any moment it is nobody's or this owner's, never something else that nobody may take. */
    private static void enumerate(Consumer<PoolMemory> step, CrashSimulation machine) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        int[] states = {0};
        machine.beforeEachStep(
                () -> {
                    for (int i = 0; i < CRASHES; i++) {
                        CrashSimulation.Loss loss = LOSSES[i % LOSSES.length];
                        MemorySegment left = machine.crash(loss, random).memory().image();
                        Optional<String> owner = JournalDevice.owner(left, "seed " + seed);
                        assertThat(owner.orElse("/srv/a.journal")).isEqualTo("/srv/a.journal");
                        states[0]++;
                    }
                });
        step.accept(machine.memory());
        assertThat(states[0]).isGreaterThan(4 * CRASHES);
    }

    @Test
    void aDamagedOwnerIsNobodyElsesDevice() throws IOException {
        make(replica("a"));
        write(first, JournalLayout.OWNER + 20, new byte[] {1});
        make(replica("b"));

        assertThat(told).isEmpty();
        assertThat(link(replica("b"))).isEqualTo(second);
        assertThatThrownBy(() -> OpenReplica.open(replica("a")))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("does not say whose journal it has");
    }

    @Test
    void aPathThatIsTooLongIsRefused() {
        MemorySegment page = MemorySegment.ofArray(new long[512]);
        assertThatThrownBy(() -> OwnerLayout.write(page, "/" + "a".repeat(OwnerLayout.MAX_BYTES)))
                .hasMessageContaining("is too long for a journal on a device");
    }
}
