package io.farheap.replication.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.ReplicaPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplicationFileTest {
    private static final Map<String, String> ENVIRONMENT =
            Map.of("FARHEAP_POLICY", "degrade", "FARHEAP_HEARTBEAT", "3s");

    @TempDir private Path directory;

    private ReplicationSettings settings(String... lines) throws IOException {
        Path set = directory.resolve("bank.set");
        Files.writeString(directory.resolve("bank.set.replication"), String.join("\n", lines));
        return ReplicationSettings.from(ReplicationFile.over(set, ENVIRONMENT));
    }

    @Test
    void theFileGoesOverTheEnvironmentAndTheProgramOverBoth() throws IOException {
        ReplicationSettings settings =
                settings(
                        "# of this pool",
                        "",
                        "policy = fail   # all of them",
                        "policy me@far:22   bank.set = degrade",
                        "commit-timeout = 250ms",
                        "catch-up-limit = 20M");
        ReplicaPolicies policies = settings.policies();
        assertThat(policies.of("near bank.set", null)).isEqualTo(ReplicaPolicy.FAIL);
        assertThat(policies.of("me@far:22 bank.set", null)).isEqualTo(ReplicaPolicy.DEGRADE);
        assertThat(policies.of("me@far:22 bank.set", ReplicaPolicy.FAIL))
                .isEqualTo(ReplicaPolicy.FAIL);
        assertThat(settings.commitTimeout()).isEqualTo(Duration.ofMillis(250));
        assertThat(settings.heartbeat()).isEqualTo(Duration.ofSeconds(3));
        assertThat(settings.catchUpLimit()).isEqualTo(20 << 20);
    }

    @Test
    void whereNothingIsSaidTheEnvironmentCountsAndElseCommitsFail() {
        Path set = directory.resolve("other.set");
        assertThat(
                        ReplicationSettings.from(ReplicationFile.over(set, ENVIRONMENT))
                                .policies()
                                .of("near bank.set", null))
                .isEqualTo(ReplicaPolicy.DEGRADE);
        assertThat(ReplicationSettings.DEFAULTS.policies().of("near bank.set", null))
                .isEqualTo(ReplicaPolicy.FAIL);
    }

    @Test
    void whatNamesAReplicaGoesOverWhatDoesNot() {
        PoolOptions options = PoolOptions.defaults();
        assertThat(options.replicaPolicy("a b.set")).isNull();
        options =
                PoolOptions.builder()
                        .replicaPolicy("a b.set", ReplicaPolicy.FAIL)
                        .replicaPolicy(ReplicaPolicy.DEGRADE)
                        .build();
        assertThat(options.replicaPolicy("a b.set")).isEqualTo(ReplicaPolicy.FAIL);
        assertThat(options.replicaPolicy("c b.set")).isEqualTo(ReplicaPolicy.DEGRADE);
    }

    @Test
    void whatTheProgramSaysGoesOverFileAndEnvironment() throws IOException {
        Path set = directory.resolve("said.set");
        Files.writeString(directory.resolve("said.set.replication"), "commit-timeout = 3s\n");
        Map<String, String> said =
                Map.of("FARHEAP_COMMIT_TIMEOUT", "4s", "RPMEM_SSH", "/usr/bin/rsh");

        ReplicationSettings settings =
                ReplicationSettings.from(
                        ReplicationFile.over(set, Map.of("RPMEM_SSH", "other"), said));

        assertThat(settings.commitTimeout()).isEqualTo(Duration.ofSeconds(4));
        assertThat(settings.remoteShell()).isEqualTo("/usr/bin/rsh");
        assertThatThrownBy(() -> ReplicationFile.over(set, Map.of(), Map.of("FARHEAP_SPAN", "1us")))
                .hasMessageContaining("\"FARHEAP_SPAN\" is no setting of replicas");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "policy",
                "policy = perhaps",
                "policy a b.set = sometimes",
                "polcy = fail",
                "commit-timeout = soon",
                "remote-shell = rsh"
            })
    void aLineThatCanNotBeUnderstoodIsNamed(String line) {
        assertThatThrownBy(() -> settings("", line))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(FarheapException.Category.BAD_DATA))
                .hasMessageContaining("bank.set.replication:2: ");
    }
}
