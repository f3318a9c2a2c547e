package io.farheap.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.replication.config.ReplicationSettings;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a remote pool's options take from the environment. */
class RemotePoolOptionsTest {

    @Test
    void asManyLanesAreGrantedAsAreWantedAndAllowed() {
        RemotePoolOptions usual = RemotePoolOptions.from(Map.of());
        assertThat(usual.lanes()).isEqualTo(1);
        assertThat(usual.maxLanes()).isEqualTo(RemotePoolOptions.MAX_LANES);
        assertThat(usual.withLanes(5000).granted()).isEqualTo(RemotePoolOptions.MAX_LANES);

        RemotePoolOptions few = RemotePoolOptions.from(Map.of("RPMEM_MAX_NLANES", "3"));
        assertThat(few.maxLanes()).isEqualTo(3);
        assertThat(few.withLanes(2).granted()).isEqualTo(2);
        assertThat(few.withLanes(8).granted()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "many", "1.5", "99999999999"})
    void whatIsNoPositiveNumberIsRefused(String value) {
        assertThatThrownBy(() -> RemotePoolOptions.from(Map.of("RPMEM_MAX_NLANES", value)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("RPMEM_MAX_NLANES is \"" + value + "\"");
    }

    @Test
    void theRestIsWhatReplicasHave() {
        assertThat(RemotePoolOptions.fromEnvironment().settings())
                .isEqualTo(ReplicationSettings.fromEnvironment());
        assertThat(RemotePoolOptions.fromEnvironment().withTakeOver(true).takeOver()).isTrue();
        RemotePoolOptions other =
                RemotePoolOptions.from(Map.of("RPMEM_SSH", "rsh", "RPMEM_CMD", "a | b"));
        assertThat(other.settings().remoteShell()).isEqualTo("rsh");
        assertThat(other.settings().agentCommands()).containsExactly("a", "b");
    }

    @Test
    void whatTheProgramSaysGoesOverTheEnvironment() {
        RemotePoolOptions options =
                RemotePoolOptions.from(Map.of("RPMEM_SSH", "rsh", "FARHEAP_COMMIT_TIMEOUT", "3s"))
                        .withSetting("FARHEAP_COMMIT_TIMEOUT", "2s")
                        .withLanes(4)
                        .withMaxLanes(2)
                        .withTakeOver(true);
        assertThat(options.settings().commitTimeout()).isEqualTo(Duration.ofSeconds(2));
        assertThat(options.settings().remoteShell()).isEqualTo("rsh");
        assertThat(options.granted()).isEqualTo(2);
        assertThat(options.takeOver()).isTrue();
        assertThatThrownBy(() -> options.withSetting("FARHEAP_COMIT_TIMEOUT", "2s"))
                .hasMessageContaining("\"FARHEAP_COMIT_TIMEOUT\" is no setting");
        assertThatThrownBy(() -> options.withSetting("FARHEAP_COMMIT_TIMEOUT", "soon"))
                .hasMessageContaining("FARHEAP_COMMIT_TIMEOUT");
        assertThatThrownBy(() -> options.withLanes(0)).hasMessageContaining("positive: 0");
    }
}
