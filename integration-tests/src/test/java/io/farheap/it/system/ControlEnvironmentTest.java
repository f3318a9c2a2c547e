package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import io.farheap.layout.FeatureFlags;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Programs obey PMEMOBJ_CONF and PMEMOBJ_CONF_FILE, whatever they say themselves. */
@Timeout(60)
class ControlEnvironmentTest {
    private final Machines machines = Machines.with();
    private final Path pool = machines.here().resolve("a.pool");

    @AfterEach
    void endAll() {
        machines.close();
    }

    /** Creates a pool in a process of its own; what that complains of. */
    private String create(int exitCode) throws IOException, InterruptedException {
        Process program =
                machines.farheap("create", pool.toString())
                        .redirectError(ProcessBuilder.Redirect.PIPE)
                        .start();
        String words = new String(program.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(program.exitValue()).as(words).isEqualTo(exitCode);
        return words;
    }

    @Test
    void theVariableReachesTheFiles() throws Exception {
        machines.set("PMEMOBJ_CONF", "sds.at_create=0;stats.enabled=both");
        create(0);
        FeatureFlags features =
                PoolInspection.of(PoolSource.of(pool).existing()).anyHeader().features();
        assertThat(features.hasShutdownState()).isFalse();
    }

    @Test
    void whatIsNotPossibleRefusesAndLeavesNothing() throws Exception {
        Path file = machines.here().resolve("ctl.conf");
        machines.write(file, "# ours\nstats.enabled = both;\nheap.size.granularity = 17;\n");
        machines.set("PMEMOBJ_CONF_FILE", file.toString());
        assertThat(create(2))
                .contains("PMEMOBJ_CONF_FILE " + file)
                .contains("\"heap.size.granularity=17\"");
        assertThat(pool).doesNotExist();
    }
}
