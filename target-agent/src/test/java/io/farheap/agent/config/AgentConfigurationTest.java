package io.farheap.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.config.AgentConfiguration.LogLevel;
import io.farheap.agent.config.AgentConfiguration.Platform;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentConfigurationTest {
    @TempDir private Path directory;
    private Path home;
    private Path etc;

    @BeforeEach
    void makeDirectories() throws IOException {
        home = Files.createDirectory(directory.resolve("home"));
        etc = Files.createDirectory(directory.resolve("etc"));
        Files.createDirectory(etc.resolve("rpmemd"));
        Files.createDirectory(etc.resolve("farheap"));
    }

    private AgentConfiguration load(String... args) {
        return AgentConfiguration.load(AgentOptions.parse(args), home, etc);
    }

    @Test
    void hasRpmemdsDefaults() {
        AgentConfiguration preset = load();
        assertThat(preset.poolsetDirectory()).isEqualTo(home);
        assertThat(preset.persistGeneral()).isTrue();
        assertThat(preset.persistApm()).isFalse();
        assertThat(preset.useSyslog()).isTrue();
        assertThat(preset.logLevel()).isEqualTo(LogLevel.ERR);
        assertThat(preset.platform()).isEqualTo(Platform.NONE);
        assertThat(preset.journalBytes()).isEqualTo(64 << 20);
        assertThat(preset.heartbeatMillis()).isEqualTo(10_000);
    }

    @Test
    void takesTheLaterFileAndTheCommandLineBeforeAll() throws IOException {
        Files.writeString(etc.resolve("rpmemd/rpmemd.conf"), "log-level = warn\nuse-syslog=yes\n");
        Files.writeString(home.resolve(".rpmemd.conf"), "poolset-dir = $HOME/pools\n");
        Files.writeString(etc.resolve("farheap/agent.conf"), "journal-size = 1M # ours\n");
        Files.writeString(home.resolve(".farheap-agent.conf"), "platform=eadr\nlog-level=info\n");
        AgentConfiguration found = load("--journal-size=2MiB", "--persist-apm");
        assertThat(found.logLevel()).isEqualTo(LogLevel.INFO);
        assertThat(found.poolsetDirectory()).isEqualTo(home.resolve("pools"));
        assertThat(found.platform()).isEqualTo(Platform.EADR);
        assertThat(found.journalBytes()).isEqualTo(2 << 20);
        assertThat(found.persistApm()).isTrue();
        assertThat(found.useSyslog()).isTrue();
        assertThat(load("--log-file", "/tmp/x").useSyslog()).as("a log file was named").isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "poolset-dir",
                "unknown = 1",
                "log-level = ERR",
                "persist-apm = true",
                "journal-size = 12K",
                "journal-size = 99999999999999999999",
                "heartbeat-bound = 1",
                "attach-bound = 0",
                "take-over-bound = 3600001",
                "data = tcp",
                "poolset-dir = "
            })
    void refusesALineThatMeansNothingNamingIt(String line) throws IOException {
        Files.writeString(home.resolve(".rpmemd.conf"), "# first\n" + line + "\n");
        assertThatThrownBy(this::load)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining(".rpmemd.conf:2: " + line.strip());
    }

    @Test
    void metricsAreToldByAnAgentThatListensOnly() {
        ListenSettings none = load("--listen", "localhost:0").listening();
        assertThat(none.metrics()).isNull();
        ListenSettings some = load("--listen", "localhost:0", "--prometheus=/m/a.prom").listening();
        assertThat(some.metrics()).isEqualTo(Path.of("/m/a.prom"));
        assertThat(some.metricsInterval()).isEqualTo(Duration.ofSeconds(15));

        assertThatThrownBy(() -> load("--prometheus=/m/a.prom"))
                .hasMessage("The option --prometheus is for an agent that listens (--listen).");
        assertThatThrownBy(() -> load("--listen", "localhost:0", "--prometheus=-"))
                .hasMessageContaining("The setting prometheus must be none or a path");
        assertThatThrownBy(() -> load("--listen", "h:0", "--prometheus-interval=5"))
                .hasMessageContaining("must be a number from 100 to 3600000");
    }

    @Test
    void refusesAFileThatIsNoConfiguration() throws IOException {
        Files.write(home.resolve(".rpmemd.conf"), new byte[(1 << 20) + 1]);
        assertThatThrownBy(this::load).hasMessageContaining("larger than 1 MiB");
    }

    @Test
    void aStoreIsAskedWithWhatItWantsToSee() throws IOException {
        Path file = home.resolve(".farheap-agent.conf");
        Files.writeString(
                file,
                "ask = a.set etcd:http://e:2379 bank\n"
                        + "ask = b.set etcd:https://e:2379 east/bank ca=/p/ca cert=/p/c key=/p/k"
                        + " user=u password=/p/w\n");
        assertThat(load().asked())
                .containsExactly(
                        new AskedStore(
                                "a.set", "etcd:http://e:2379", "bank", AskedStore.Access.NONE),
                        new AskedStore(
                                "b.set",
                                "etcd:https://e:2379",
                                "east/bank",
                                new AskedStore.Access(
                                        Path.of("/p/ca"),
                                        Path.of("/p/c"),
                                        Path.of("/p/k"),
                                        "u",
                                        Path.of("/p/w"))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a.set etcd:http://e:2379",
                "a.set etcd:http://e:2379 bank word",
                "a.set etcd:http://e:2379 bank color=red",
                "a.set etcd:http://e:2379 bank user=u",
                "a.set etcd:http://e:2379 bank password=/p/w",
                "a.set etcd:http://e:2379 bank ca=/p/ca key=/p/k",
                "a.set etcd:http://e:2379 bank user=u user=v password=/p/w",
                "a.set etcd:http://e:2379 bank user=u password=w"
            })
    void aStoreIsNotAskedWithHalfOfIt(String text) throws IOException {
        Files.writeString(home.resolve(".farheap-agent.conf"), "ask = " + text + "\n");
        assertThatThrownBy(this::load)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("The setting ask must");
    }
}
