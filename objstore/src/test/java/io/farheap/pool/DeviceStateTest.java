package io.farheap.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.Checksum;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.ShutdownState;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The facts about NVDIMMs come from a tree like the kernel's. */
class DeviceStateTest {
    private static final String FIRST = "8089-a2-1840-000004c9";
    private static final String SECOND = "8089-a2-1840-00000511";
    private static final long POOL_SIZE = 8 << 20;

    @TempDir Path dir;
    private Path sys;
    private Path part;

    @BeforeEach
    void showDevices() throws IOException {
        sys = dir.resolve("sys");
        part = Files.createFile(dir.resolve("part"));
        DeviceState.sysfs = sys;
    }

    @AfterEach
    void showTheMachinesAgain() {
        DeviceState.sysfs = Path.of("/sys");
    }

    private void onTwoModules(long first, long second) throws IOException {
        Path region = sys.resolve("devices/ndbus0/region0");
        Path block = Files.createDirectories(region.resolve("namespace0.0/block/pmem0"));
        Files.writeString(region.resolve("mapping0"), "nmem0,0,1048576,0\n");
        Files.writeString(region.resolve("mapping1"), "nmem1,0,1048576,1\n");
        module("nmem0", FIRST, first);
        module("nmem1", SECOND, second);
        long device = (long) Files.getAttribute(part, "unix:dev");
        long major = (device >>> 8 & 0xfff) | (device >>> 32 & ~0xfffL);
        long minor = (device & 0xff) | (device >>> 12 & ~0xffL);
        Path link = sys.resolve("dev/block/" + major + ":" + minor);
        Files.createDirectories(link.getParent());
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, block);
    }

    private Path module(String name, String id, long count) throws IOException {
        Path facts = Files.createDirectories(sys.resolve("bus/nd/devices/" + name + "/nfit"));
        Files.writeString(facts.resolve("id"), id + "\n");
        return Files.writeString(facts.resolve("dirty_shutdown"), count + "\n");
    }

    private static long sum(String name) {
        byte[] padded =
                Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), name.length() / 4 * 4 + 4);
        return Checksum.of(
                MemorySegment.ofArray(padded),
                0,
                padded.length,
                Checksum.NO_HOLE,
                Checksum.NO_SKIP);
    }

    @Test
    void plainStorageHasNoFacts() {
        assertThat(DeviceState.of(List.of(part))).isEqualTo(DeviceState.NONE);
    }

    @Test
    void countsAndNamesOfAllModulesOfAllPartsAreSummed() throws IOException {
        onTwoModules(3, 4);
        DeviceState one = DeviceState.of(List.of(part));
        assertThat(one).isEqualTo(new DeviceState(7, sum(FIRST + SECOND)));
        assertThat(DeviceState.of(List.of(part, part)))
                .isEqualTo(new DeviceState(14, 2 * one.identity()));
    }

    @Test
    void modulesThatDoNotCountAreNoReasonToRefuse() throws IOException {
        onTwoModules(3, 4);
        Files.delete(sys.resolve("bus/nd/devices/nmem1/nfit/dirty_shutdown"));
        assertThat(DeviceState.of(List.of(part)))
                .isEqualTo(new DeviceState(0, sum(FIRST + SECOND)));
    }

    @Test
    void factsThatCannotBeReadRefuse() throws IOException {
        onTwoModules(3, 4);
        Path counter = sys.resolve("bus/nd/devices/nmem1/nfit/dirty_shutdown");
        Files.delete(counter);
        Files.createDirectory(counter);
        assertThatThrownBy(() -> DeviceState.of(List.of(part)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("Cannot read unsafe shutdown count")
                .hasMessageContaining(part.toString())
                .extracting(e -> ((FarheapException) e).category())
                .isEqualTo(Category.ENVIRONMENT);
    }

    /** What each combination of facts and stored state means when a pool is opened. */
    @Test
    void aPoolKeepsTheFactsAndRefusesAfterAnUnsafeShutdown() throws IOException {
        onTwoModules(3, 4);
        PoolSource source = PoolSource.newFile(dir.resolve("pool"), POOL_SIZE);
        PoolFiles.create(source, new CreateOptions("x", 0600), memory -> {}).close();
        assertThat(stored(source))
                .returns(7L, ShutdownState::unsafeShutdownCount)
                .returns(sum(FIRST + SECOND), ShutdownState::deviceSum)
                .returns(false, ShutdownState::isDirty)
                .returns(true, ShutdownState::checksumMatches);

        onTwoModules(3, 5); // power failed while the pool was closed
        PoolFiles.open(PoolSource.of(source.path())).close();
        assertThat(stored(source)).returns(8L, ShutdownState::unsafeShutdownCount);

        try (PoolFiles open = PoolFiles.open(PoolSource.of(source.path()))) {
            Path died = Files.copy(source.path(), dir.resolve("died"));
            assertThat(open.poolId()).isNotZero();
            PoolFiles.open(PoolSource.of(died)).close(); // only the process died

            Path failed = Files.copy(source.path(), dir.resolve("failed"));
            onTwoModules(4, 5);
            assertThatThrownBy(() -> PoolFiles.open(PoolSource.of(failed)))
                    .hasMessageContaining("an ADR failure was detected");
            assertThat(PartInspection.of(PoolSource.of(failed).existing(), 0, 0).problem())
                    .contains("an ADR failure was detected");
        }
    }

    /** A state that power cut in two says nothing of the devices: its sums may be anybody's. */
    @Test
    void aTornStateTellsOfNoFailure() throws IOException {
        onTwoModules(3, 4);
        PoolSource source = PoolSource.newFile(dir.resolve("pool"), POOL_SIZE);
        PoolFiles.create(source, new CreateOptions("x", 0600), memory -> {}).close();
        ShutdownState state = stored(source);
        state.open(1, 2);
        assertThat(state.tellsOfLostData(3, 4)).as("whole").isTrue();
        tear(source);
        assertThat(stored(source))
                .returns(true, ShutdownState::isDirty)
                .returns(6L, ShutdownState::unsafeShutdownCount)
                .returns(false, torn -> torn.tellsOfLostData(7, torn.deviceSum()));

        PoolFiles.open(PoolSource.of(source.path())).close();
        assertThat(stored(source))
                .returns(7L, ShutdownState::unsafeShutdownCount)
                .returns(true, ShutdownState::checksumMatches);
    }

    /** The count and the mark of an open pool, and the checksum of what was there before. */
    private static void tear(PoolSource source) throws IOException {
        byte[] image = Files.readAllBytes(source.path());
        image[(int) ShutdownState.OFFSET] = 6;
        image[(int) ShutdownState.OFFSET + 16] = 1;
        Files.write(source.path(), image);
    }

    private static ShutdownState stored(PoolSource source) throws IOException {
        byte[] page = Arrays.copyOf(Files.readAllBytes(source.path()), (int) PoolHeader.SIZE);
        return new PoolHeader(MemorySegment.ofArray(page)).shutdownState();
    }
}
