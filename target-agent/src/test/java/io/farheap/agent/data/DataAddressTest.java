package io.farheap.agent.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentConfiguration.Key;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DataAddressTest {
    @Test
    void bindsTheDataPortToTheAddressOfTheSshConnection() {
        assertThat(DataAddress.of(null)).isEqualTo(InetAddress.getLoopbackAddress());
        assertThat(DataAddress.of("10.0.0.7 5123 10.0.0.9 22").getHostAddress())
                .isEqualTo("10.0.0.9");
        assertThat(DataAddress.of("fe80::1 5123 fd00::2 22").getHostAddress())
                .isEqualTo("fd00:0:0:0:0:0:0:2");
        for (String bad : new String[] {"x", "10.0.0.7 1 bank.example 22", "a b c d"}) {
            assertThatThrownBy(() -> DataAddress.of(bad))
                    .hasMessageContaining("does not name an address");
        }
    }

    @Test
    void keepsADataPortForSshOnTheLoopbackAddress() {
        AgentConfiguration ssh = AgentConfiguration.of(Map.of(Key.DATA, "ssh"), Path.of("/"));
        assertThat(DataAddress.forControl(ssh, true)).isEqualTo(InetAddress.getLoopbackAddress());
        assertThatThrownBy(() -> DataAddress.forControl(ssh, false))
                .hasMessageContaining("through ssh only");
    }
}
