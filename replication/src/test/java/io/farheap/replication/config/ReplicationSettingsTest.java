package io.farheap.replication.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplicationSettingsTest {

    @Test
    void theDefaultsAreTheDocumentedOnes() {
        assertThat(ReplicationSettings.DEFAULTS.attachTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(ReplicationSettings.DEFAULTS.commitTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(ReplicationSettings.DEFAULTS.heartbeat()).isEqualTo(Duration.ofSeconds(2));
        assertThat(ReplicationSettings.DEFAULTS.workTimeout()).isEqualTo(Duration.ofMinutes(10));
        assertThat(ReplicationSettings.DEFAULTS.waiting()).isEqualTo(WaitStrategy.DEFAULT);
        assertThat(ReplicationSettings.DEFAULTS.dataThroughSsh()).isFalse();
        assertThat(ReplicationSettings.DEFAULTS.remoteShell()).isEqualTo("ssh");
        assertThat(ReplicationSettings.DEFAULTS.agentCommands()).containsExactly("farheap agent");
    }

    @Test
    void theDefaultsOnThePageAreThese() throws IOException {
        Matcher row =
                Pattern.compile("\\| `((?:FARHEAP|RPMEM)_[A-Z_]+)` \\| `([^`]*)` \\|")
                        .matcher(Files.readString(Path.of("../docs/settings.md")));
        Map<String, String> page = new TreeMap<>();
        while (row.find()) {
            page.put(row.group(1), row.group(2));
        }
        assertThat(page).containsKeys("FARHEAP_COMMIT_TIMEOUT", "RPMEM_CMD");
        assertThat(ReplicationSettings.from(page)).isEqualTo(ReplicationSettings.DEFAULTS);
    }

    @Test
    void theEnvironmentOverridesThem() {
        ReplicationSettings settings =
                ReplicationSettings.from(
                        Map.of(
                                "FARHEAP_COMMIT_TIMEOUT", "250ms",
                                "FARHEAP_WORK_TIMEOUT", "3m",
                                "FARHEAP_SPIN", "0us",
                                "FARHEAP_YIELD", "1ms",
                                "FARHEAP_DATA", "ssh",
                                "RPMEM_SSH", "/opt/bin/rsh",
                                "RPMEM_CMD", "agent -c a | agent -c b"));
        assertThat(settings.commitTimeout()).isEqualTo(Duration.ofMillis(250));
        assertThat(settings.workTimeout()).isEqualTo(Duration.ofMinutes(3));
        assertThat(settings.waiting()).isEqualTo(new WaitStrategy(0, 1_000_000));
        assertThat(settings.dataThroughSsh()).isTrue();
        assertThat(settings.remoteShell()).isEqualTo("/opt/bin/rsh");
        assertThat(settings.agentCommand(0)).isEqualTo("agent -c a");
        assertThat(settings.agentCommand(1)).isEqualTo("agent -c b");
        assertThat(settings.agentCommand(2)).isEqualTo("agent -c a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10", "-1s", "0s", "1h", "10 s", "9999999999s"})
    void aDurationThatIsNoneNamesTheVariable(String value) {
        assertThatThrownBy(() -> ReplicationSettings.from(Map.of("FARHEAP_HEARTBEAT", value)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("FARHEAP_HEARTBEAT")
                .hasMessageContaining("500ms");
    }

    @Test
    void catchingUpMayHaveALimit() {
        assertThat(ReplicationSettings.DEFAULTS.catchUpLimit()).isEqualTo(Pacer.NO_LIMIT);
        assertThat(catchUpLimit("off")).isEqualTo(Pacer.NO_LIMIT);
        assertThat(catchUpLimit("50M")).isEqualTo(50 << 20);
        assertThat(catchUpLimit("4096")).isEqualTo(4096);
        for (String bad : List.of("", "0", "-1", "1.5M", "1T", "on")) {
            assertThatThrownBy(() -> catchUpLimit(bad))
                    .isInstanceOf(FarheapException.class)
                    .hasMessage(
                            "the setting FARHEAP_CATCH_UP_LIMIT is \"%s\"; set it to off, or bytes"
                                    + " per second such as 500K or 8M",
                            bad);
        }
    }

    private static long catchUpLimit(String value) {
        return ReplicationSettings.from(Map.of("FARHEAP_CATCH_UP_LIMIT", value)).catchUpLimit();
    }
}
