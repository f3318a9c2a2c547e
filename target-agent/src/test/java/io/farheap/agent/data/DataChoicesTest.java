package io.farheap.agent.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.PersistenceDomain;
import io.farheap.memory.DeviceDax;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each outcome of what an agent finds on its machine, with the reason that it gives. */
class DataChoicesTest {
    private static final List<FabricKind> BOTH = List.of(FabricKind.VERBS, FabricKind.TCP);
    private static final InetAddress HERE = FakeSysfs.address("10.0.0.1");

    @TempDir Path directory;
    private FakeSysfs sysfs;
    private Function<WaitStrategy, Fabric> verbs = TcpFabric::new;

    @BeforeEach
    void mount() throws IOException {
        sysfs = new FakeSysfs(Files.createDirectory(directory.resolve("sys")));
    }

    private TargetMachine machine() {
        return new TargetMachine(sysfs.root, sysfs::addressesOf, verbs, DeviceDax::map);
    }

    private AgentConfiguration configuration(String... settings) {
        Map<Key, String> values = new EnumMap<>(Key.class);
        values.put(Key.POOLSET_DIR, directory.toString());
        for (int i = 0; i < settings.length; i += 2) {
            values.put(Key.of(settings[i]), settings[i + 1]);
        }
        return AgentConfiguration.of(values, directory);
    }

    @Nested
    class TheFabric {
        private FabricChoice choose(String... settings) {
            return FabricChoice.of(configuration(settings), BOTH, false, HERE, machine());
        }

        private void assertTcp(FabricChoice choice, String reason) {
            assertThat(choice.kind()).isEqualTo(FabricKind.TCP);
            assertThat(choice.reason()).contains(reason);
        }

        @Test
        void isVerbsWhereADeviceHasTheAddress() {
            sysfs.device("rdma1", "eth1", "10.0.0.2", true)
                    .device("rdma0", "eth0", "10.0.0.1", true);
            assertThat(choose())
                    .isEqualTo(
                            new FabricChoice(
                                    FabricKind.VERBS,
                                    "the RDMA device rdma0 has the address 10.0.0.1"));
        }

        @Test
        void isTcpWithoutADevice() {
            assertTcp(choose(), "no RDMA device");
        }

        @Test
        void isTcpWhereNoDeviceHasTheAddress() {
            sysfs.device("rdma1", "eth1", "10.0.0.2", true);
            assertTcp(
                    choose(),
                    "has the address 10.0.0.1 (there are: rdma1 (10.0.0.2); rdma-address");
        }

        @Test
        void isTcpWhereTheDeviceIsDown() {
            sysfs.device("rdma0", "eth0", "10.0.0.1", false);
            assertTcp(choose(), "rdma0 (10.0.0.1, down) has no port that is up");
        }

        @Test
        void isTcpWhereTheLibraryIsMissing() {
            sysfs.device("rdma0", "eth0", "10.0.0.1", true);
            verbs =
                    wait -> {
                        throw new FarheapException(Category.ENVIRONMENT, "it can't be loaded");
                    };
            assertTcp(choose(), "on the target it can't be loaded");
        }

        @Test
        void isTcpForAnAddressThatIsNotOfIpv4() {
            sysfs.device("rdma0", "eth0", "fd00::1", true);
            InetAddress address = FakeSysfs.address("fd00::1");
            assertTcp(FabricChoice.of(configuration(), BOTH, false, address, machine()), "IPv4");
        }

        @Test
        void isTcpThroughSsh() {
            sysfs.device("rdma0", "eth0", "10.0.0.1", true);
            assertTcp(FabricChoice.of(configuration(), BOTH, true, HERE, machine()), "through ssh");
        }

        @Test
        void isTcpWhereOneSideSaysSo() {
            sysfs.device("rdma0", "eth0", "10.0.0.1", true);
            assertTcp(choose("fabric", "tcp"), "fabric = tcp");
            assertTcp(
                    FabricChoice.of(configuration(), FabricKind.TCP_ONLY, false, HERE, machine()),
                    "the initiator can't use verbs");
        }

        @Test
        void isNoneWhereVerbsIsOrderedAndMissing() {
            assertThatThrownBy(() -> choose("fabric", "verbs"))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("The target's configuration allows")
                    .hasMessageContaining("no RDMA device");
            assertThatThrownBy(
                            () ->
                                    FabricChoice.of(
                                            configuration(),
                                            List.of(FabricKind.VERBS),
                                            false,
                                            HERE,
                                            machine()))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("The initiator allows")
                    .hasMessageContaining("no RDMA device");
        }
    }

    @Nested
    class TheMethod {
        private static final PersistentRegion ADR =
                new PersistentRegion("region0", "memory_controller");

        private DurabilityChoice choose(
                FabricKind fabric,
                PersistenceDomain journal,
                boolean inPlace,
                PersistentRegion region,
                String... settings) {
            return DurabilityChoice.of(configuration(settings), fabric, journal, inPlace, region);
        }

        private void assertNoApm(DurabilityChoice choice, String because) {
            assertThat(choice.method()).isEqualTo(DurabilityMethod.GPSPM);
            assertThat(choice.reason()).contains("APM was allowed, but " + because);
        }

        @Test
        void isGpspmUnlessMoreIsAllowed() {
            assertThat(choose(FabricKind.VERBS, PersistenceDomain.DAX, true, ADR).reason())
                    .isEqualTo("the agent flushes what verbs brings, in the domain DAX");
        }

        @Test
        void isNotApmOverTcp() {
            assertNoApm(
                    choose(
                            FabricKind.TCP,
                            PersistenceDomain.DAX,
                            true,
                            ADR,
                            "persist-apm",
                            "yes",
                            "platform",
                            "adr"),
                    "over tcp");
        }

        @Test
        void isNotApmOnAPlatformThatNobodyDeclared() {
            assertNoApm(
                    choose(
                            FabricKind.VERBS,
                            PersistenceDomain.DAX,
                            true,
                            ADR,
                            "persist-apm",
                            "yes"),
                    "the platform is not declared");
        }

        @Test
        void isNeverApmForAPageCacheFile() {
            assertNoApm(
                    choose(
                            FabricKind.VERBS,
                            PersistenceDomain.PAGE_CACHE,
                            true,
                            ADR,
                            "persist-apm",
                            "yes",
                            "platform",
                            "adr"),
                    "the journal is not on DAX: its domain is PAGE_CACHE");
        }

        @Test
        void isApmOnAPlatformThatWasDeclaredWhereThePlatformSaysNoLess() {
            assertApm(PersistenceDomain.DAX, ADR, "adr");
            assertApm(PersistenceDomain.EADR, new PersistentRegion("region0", "cpu_cache"), "eadr");
            assertThat(
                            choose(
                                            FabricKind.VERBS,
                                            PersistenceDomain.DAX,
                                            true,
                                            ADR,
                                            "persist-apm",
                                            "yes",
                                            "platform",
                                            "adr")
                                    .reason())
                    .isEqualTo(
                            "a READ proves the WRITEs before it durable on a platform that was"
                                    + " declared as adr, with the journal on region0, which says"
                                    + " memory_controller");
        }

        /** As all that is in this domain: for tests, and by order. */
        @Test
        void isApmOnMemoryThatIsTrustedByOrder() {
            assertApm(PersistenceDomain.FORCED, PersistentRegion.NONE, "eadr");
        }

        private void assertApm(
                PersistenceDomain journal, PersistentRegion region, String platform) {
            for (String general : List.of("yes", "no")) {
                assertThat(
                                choose(
                                                FabricKind.VERBS,
                                                journal,
                                                true,
                                                region,
                                                "persist-apm",
                                                "yes",
                                                "persist-general",
                                                general,
                                                "platform",
                                                platform)
                                        .method())
                        .isEqualTo(DurabilityMethod.APM);
            }
        }

        @Test
        void isNotApmWhereNobodyAllowedIt() {
            assertThat(
                            choose(
                                            FabricKind.VERBS,
                                            PersistenceDomain.DAX,
                                            true,
                                            ADR,
                                            "platform",
                                            "adr")
                                    .method())
                    .isEqualTo(DurabilityMethod.GPSPM);
            assertThatThrownBy(
                            () ->
                                    choose(
                                            FabricKind.VERBS,
                                            PersistenceDomain.DAX,
                                            true,
                                            ADR,
                                            "platform",
                                            "adr",
                                            "persist-general",
                                            "no"))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("persist-apm is no");
        }

        @Test
        void isNotApmWhereThePlatformSaysLessThanItsOperator() {
            assertNoApm(
                    choose(
                            FabricKind.VERBS,
                            PersistenceDomain.DAX,
                            true,
                            ADR,
                            "persist-apm",
                            "yes",
                            "platform",
                            "eadr"),
                    "the platform is declared as eadr, and the journal is on region0, which says"
                            + " memory_controller");
            assertNoApm(
                    choose(
                            FabricKind.VERBS,
                            PersistenceDomain.DAX,
                            true,
                            PersistentRegion.NONE,
                            "persist-apm",
                            "yes",
                            "platform",
                            "adr"),
                    "the platform is declared as adr, and the journal is on no persistent memory");
        }

        @Test
        void isNotApmThroughABounceRing() {
            assertNoApm(
                    choose(
                            FabricKind.VERBS,
                            PersistenceDomain.DAX,
                            false,
                            ADR,
                            "persist-apm",
                            "yes",
                            "platform",
                            "adr"),
                    "the network card can't reach the journal itself");
        }

        @Test
        void isNoneWhereOnlyApmIsAllowed() {
            assertThatThrownBy(
                            () ->
                                    choose(
                                            FabricKind.VERBS,
                                            PersistenceDomain.DAX,
                                            false,
                                            ADR,
                                            "persist-general",
                                            "no"))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("appliance method");
        }
    }

    @Nested
    class TheMedium {
        @Test
        void isWhatTheKernelSaysOfTheFilesDevice() {
            sysfs.region(directory, "cpu_cache");
            PersistentRegion region = machine().regionOf(directory);
            assertThat(region).isEqualTo(new PersistentRegion("region0", "cpu_cache"));
            assertThat(region.savesCaches()).isTrue();
        }

        @Test
        void savesLessThanCachesWhereOnlyMemoryIsSaved() {
            sysfs.region(directory, "memory_controller");
            PersistentRegion region = machine().regionOf(directory);
            assertThat(region.savesMemory()).isTrue();
            assertThat(region.savesCaches()).isFalse();
        }

        @Test
        void savesNothingForCertainWhereThePlatformDoesNotSay() throws IOException {
            sysfs.region(directory, "");
            Files.delete(sysfs.root.resolve("devices/ndbus0/region0/persistence_domain"));
            PersistentRegion region = machine().regionOf(directory);
            assertThat(region).isEqualTo(new PersistentRegion("region0", ""));
            assertThat(region.savesMemory()).isFalse();
        }

        @Test
        void isNoPersistentMemoryElsewhere() {
            assertThat(machine().regionOf(directory)).isEqualTo(PersistentRegion.NONE);
            assertThat(machine().regionOf(directory).savesMemory()).isFalse();
        }
    }

    @Nested
    class TheProbe {
        private String tell(String poolset, String... settings) {
            return new AgentProbe(configuration(settings), machine()).tell(poolset);
        }

        @Test
        void tellsAllOfItAndLeavesNothingBehind() throws IOException {
            sysfs.device("rdma0", "lo", "127.0.0.1", true);
            Files.writeString(
                    directory.resolve("bank.set"),
                    "PMEMPOOLSET\n8M " + directory.resolve("bank.part0") + "\n");
            assertThat(tell("bank.set"))
                    .contains("RDMA devices: rdma0 (127.0.0.1)\n")
                    .contains("address: 127.0.0.1\n")
                    .contains("platform: none, as declared\n")
                    .contains("journal and files in " + directory + ": ")
                    .contains("fabric: verbs, as the RDMA device rdma0 has the address 127.0.0.1\n")
                    .contains("journal: GPSPM, as the agent flushes what verbs brings")
                    .contains("records are written to ")
                    .contains("not APM (persist-apm = no), and the platform is not declared");
            try (var files = Files.list(directory)) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .containsExactlyInAnyOrder("sys", "bank.set");
            }
        }

        @Test
        void tellsWhyItIsTcp() {
            assertThat(tell(""))
                    .contains("RDMA devices: none\n")
                    .contains("fabric: tcp, as the target has no RDMA device\n")
                    .contains("journal: GPSPM, as the agent flushes what tcp brings");
        }

        @Test
        void tellsWhatIsOrderedAndNotPossible() {
            assertThat(tell("", "fabric", "verbs"))
                    .contains("fabric: none: The target's configuration allows");
            assertThat(tell("", "persist-general", "no")).contains("journal: none: The target's");
        }
    }
}
