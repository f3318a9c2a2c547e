package io.farheap.poolset;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The poolset files that are shown to users are right. */
class ConfigSamplesTest {
    private static final Path SAMPLES = Path.of("../config-samples");

    static List<Path> samples() throws IOException {
        try (Stream<Path> files = Files.list(SAMPLES)) {
            return files.filter(f -> f.toString().endsWith(".set")).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("samples")
    void eachIsAValidSet(Path sample) throws IOException {
        PoolSet set = PoolSetParser.parse(sample);

        if (sample.endsWith("bank-target.set")) {
            PoolSetRules.checkTarget(set);
        } else {
            PoolSetRules.checkLocal(set);
        }
        assertThat(PoolSetWriter.toBytes(set)).isEqualTo(Files.readAllBytes(sample));
    }

    @Test
    void theyShowWhatTheirNamesSay() throws IOException {
        assertThat(sample("simple.set").master().parts()).hasSize(2);
        assertThat(sample("local-replica.set").localReplicas()).hasSize(2);
        assertThat(sample("local-replica.set").poolSize()).isEqualTo(32 << 20);
        assertThat(sample("remote-replica.set").remoteReplicas())
                .containsExactly(
                        new RemoteReplica("ada", "storage1", 2222, "bank.set"),
                        new RemoteReplica(null, "2001:db8::7", 0, "sets/bank.set"));
    }

    @Test
    void theTargetHasRoomForThePool() throws IOException {
        assertThat(sample("bank-target.set").poolSize())
                .isGreaterThanOrEqualTo(sample("remote-replica.set").poolSize());
    }

    private static PoolSet sample(String name) throws IOException {
        return PoolSetParser.parse(SAMPLES.resolve(name));
    }
}
