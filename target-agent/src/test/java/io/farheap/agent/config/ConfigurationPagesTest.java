package io.farheap.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.config.AgentConfiguration.Key;
import io.farheap.agent.service.ServiceAddress;
import io.farheap.replication.fabric.FabricUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What users are shown of the agent's configuration is what the agent reads. */
class ConfigurationPagesTest {
    private static final Path SAMPLE = Path.of("../config-samples/agent.conf");
    private static final Path PAGE = Path.of("../docs/settings.md");
    private static final Path HOME = Path.of("/home/ada");
    private static final Pattern ROW =
            Pattern.compile("\\| `([a-z-]+)` \\| `([^`]*)` \\| .+ \\|", Pattern.MULTILINE);
    private static final String[] KEYS =
            Arrays.stream(Key.values()).map(Key::text).toArray(String[]::new);

    @Test
    void theSampleIsReadAndHasEveryKey() {
        Map<Key, String> values = ConfigurationFile.read(SAMPLE, true, HOME);

        assertThat(values.keySet().stream().map(Key::text)).containsExactlyInAnyOrder(KEYS);
        AgentConfiguration read = AgentConfiguration.of(values, HOME);
        assertThat(read.poolsetDirectory()).isEqualTo(Path.of("/srv/farheap"));
        assertThat(read.journalBytes()).isEqualTo(256 << 20);
        assertThat(read.useSyslog()).isFalse();
        assertThat(read.listening().allowances())
                .containsExactly(
                        new Allowance("CN=app-bank", List.of("bank*.set"), Allowance.Right.WRITE),
                        new Allowance("CN=operator", List.of("*.set"), Allowance.Right.ADMINISTER));
    }

    @Test
    void theSamplesForOneSettingEachAreWhatTheirNamesSay() {
        AgentConfiguration dax = sample("agent-dax-apm.conf");
        assertThat(dax.persistApm()).isTrue();
        assertThat(dax.persistGeneral()).isTrue();
        assertThat(dax.journalDevices())
                .containsExactly(Path.of("/dev/dax0.0"), Path.of("/dev/dax1.0"));
        assertThat(dax.platform()).isEqualTo(AgentConfiguration.Platform.ADR);
        assertThat(dax.fabric()).isEqualTo(FabricUse.VERBS);
        assertThat(dax.rdmaAddress().getHostAddress()).isEqualTo("192.168.50.2");

        AgentConfiguration general = sample("agent-gpspm.conf");
        assertThat(general.persistApm()).isFalse();
        assertThat(general.persistGeneral()).isTrue();
        assertThat(general.fabric()).isEqualTo(FabricUse.AUTO);

        AgentConfiguration without = sample("agent-no-rdma.conf");
        assertThat(without.fabric()).isEqualTo(FabricUse.TCP);
        assertThat(without.dataThroughSsh()).isTrue();
        assertThat(without.waiting().spinNanos()).isZero();
    }

    @Test
    void everySampleIsRead() throws IOException {
        try (Stream<Path> samples = Files.list(SAMPLE.getParent())) {
            List<Path> configurations =
                    samples.filter(file -> file.toString().endsWith(".conf")).toList();
            assertThat(configurations).hasSize(4);
            for (Path each : configurations) {
                assertThat(sample(each.getFileName().toString())).isNotNull();
            }
        }
    }

    @Test
    void theServiceIsStartedWithOptionsThatThereAre() throws IOException {
        String unit = Files.readString(SAMPLE.resolveSibling("farheap-agent.service"));
        Matcher command =
                Pattern.compile("(?m)^ExecStart=/usr/bin/farheap agent (.+)$").matcher(unit);
        assertThat(command.find()).isTrue();

        AgentOptions options = AgentOptions.parse(command.group(1).split(" ", -1));

        assertThat(ServiceAddress.parse(options.listen()).getPort()).isEqualTo(7890);
    }

    private static AgentConfiguration sample(String name) {
        Path file = SAMPLE.resolveSibling(name);
        return AgentConfiguration.of(ConfigurationFile.read(file, true, HOME), HOME);
    }

    @Test
    void thePageHasEveryKeyWithItsDefault() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(PAGE));
        while (row.find()) {
            rows.put(row.group(1), row.group(2));
        }

        assertThat(rows).containsOnlyKeys(KEYS);
        AgentConfiguration preset = AgentConfiguration.of(Map.of(), HOME);
        rows.forEach(
                (key, value) ->
                        assertThat(withSyslog(Map.of(Key.of(key), value)))
                                .as(key)
                                .isEqualTo(preset));
    }

    /** Naming a log file switches the system log off, which is no matter of its default. */
    private static AgentConfiguration withSyslog(Map<Key, String> values) {
        Map<Key, String> all = new TreeMap<>(values);
        all.putIfAbsent(Key.USE_SYSLOG, "yes");
        return AgentConfiguration.of(all, HOME);
    }
}
