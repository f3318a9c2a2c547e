package io.farheap.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Raw bytes go to the process that has the replica, though others were started beside it. */
@Timeout(60)
class AgentPortsTest {
    private static final AgentPorts KEPT = new AgentPorts(1, 2);
    private static final AgentPorts LET_GO = new AgentPorts(3, 4);

    @TempDir private Path directory;
    private Process other;

    @BeforeEach
    void aSecondAgentThatSaidItsPortsLast() throws IOException {
        other = new ProcessBuilder("cat").start();
        KEPT.tell(directory, ProcessHandle.current().pid());
        LET_GO.tell(directory, other.pid());
    }

    @AfterEach
    void end() {
        other.destroyForcibly();
    }

    @Test
    void whoHasEndedIsPassedOver() throws Exception {
        other.destroyForcibly().waitFor();

        assertThat(AgentPorts.ofTheLastAgent(directory)).isEqualTo(KEPT);
    }

    @Test
    void whoIsAboutToEndIsWaitedFor() throws Exception {
        CompletableFuture<AgentPorts> found =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return AgentPorts.ofTheLastAgent(directory);
                            } catch (IOException | InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
        assertThat(found).isNotDone();
        other.getOutputStream().close();

        assertThat(found.get()).isEqualTo(KEPT);
    }

    @Test
    void whoDoesNotEndIsNamed() {
        assertThatThrownBy(() -> AgentPorts.ofTheLastAgent(directory, Duration.ofMillis(50)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(other.pid() + ".ports")
                .hasMessageContaining(ProcessHandle.current().pid() + ".ports");
    }
}
