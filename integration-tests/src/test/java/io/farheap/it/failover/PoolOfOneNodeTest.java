package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import java.io.BufferedReader;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A poolset file without a REPLICA line is none for automatic fail-over: whoever tries it hears at
 * once what to do, and need not wait for an opening that never comes.
 */
@Timeout(120)
class PoolOfOneNodeTest {
    @TempDir private Path directory;

    private TurnNodes nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new TurnNodes(directory, 1);
        nodes.usePoolSets("a", new TurnNodes.PoolSets("copy.set", "copy.set"));
    }

    @AfterEach
    void end() throws Exception {
        nodes.close();
    }

    @Test
    void isRefusedUntilAnotherNodeIsNamed() {
        TurnNodes.Program alone = nodes.create("a");
        assertThat(alone.await("failed "))
                .contains(
                        "copy.set names no other node's copy",
                        "add a line REPLICA HOST POOLSET",
                        "without HighAvailability",
                        "nothing was opened");
        alone.await("gone");
        assertThat(nodes.nodes.part("a")).doesNotExist();
        assertThat(nodes.lead()).isEmpty();

        nodes.usePoolSets("a", new TurnNodes.PoolSets("writer.set", "copy.set"));
        nodes.create("a").await("open 0 1");
        nodes.awaitMore(5);
    }

    /** Nobody makes a record there: the program under farheap run is not started before. */
    @Test
    void whoWaitsForARecordHearsWhoMakesIt() throws Exception {
        String who = "its first writer makes it, a program that calls HighAvailability.create";
        TurnNodes.Program waiting = nodes.open("a");
        assertThat(waiting.await("waiting ")).contains("no record of the pool", who);
        waiting.kill();

        Machines machines = nodes.nodes.machines;
        Process run =
                machines.farheap(
                                "run",
                                "--store=" + nodes.servers.address(),
                                "--pool=numbers",
                                "--node=a",
                                "--copy=" + machines.machine("a").resolve("copy.set"),
                                "--",
                                "true")
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader lines = run.inputReader()) {
            assertThat(lines.readLine()).contains("waiting: there is no record", who);
        } finally {
            run.destroy();
            assertThat(run.waitFor()).isNotZero();
        }
    }
}
