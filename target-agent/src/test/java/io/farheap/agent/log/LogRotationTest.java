package io.farheap.agent.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.farheap.agent.config.AgentConfiguration;
import io.farheap.agent.config.AgentConfiguration.Key;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is shown for logrotate, by Debian's logrotate, while an agent has its log open. */
class LogRotationTest {
    private static final Path SAMPLES = Path.of("../config-samples");
    private static final Path LOGROTATE = Path.of("/usr/sbin/logrotate");
    private static final String FILE = "/var/log/farheap-agent.log";

    @TempDir private Path directory;
    private Path log;
    private Path snippet;

    @BeforeEach
    void theSampleOfAnotherFile() throws IOException {
        boolean there = Files.isExecutable(LOGROTATE);
        if (System.getenv("CI") != null) {
            assertThat(there).as("CI must have logrotate").isTrue();
        }
        assumeTrue(there, "logrotate is not installed");
        log = directory.resolve("agent.log");
        String sample = Files.readString(SAMPLES.resolve("farheap-agent.logrotate"));
        assertThat(sample).contains("\n" + FILE + " {\n");
        snippet = Files.writeString(directory.resolve("snippet"), sample.replace(FILE, "" + log));
    }

    private String logrotate(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(LOGROTATE.toString(), "--state"));
        command.add(directory.resolve("state").toString());
        command.addAll(List.of(words));
        command.add(snippet.toString());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void itIsOfTheFileThatTheSampleConfigurationNames() {
        assertThat(SAMPLES.resolve("agent.conf")).content().contains("\nlog-file = " + FILE + "\n");
    }

    @Test
    void nothingIsWrongWithIt() throws Exception {
        assertThat(logrotate("-d")).doesNotContainIgnoringCase("error");
        assertThat(log).doesNotExist();
    }

    @Test
    void anAgentThatRunsGoesOnInTheSameFile() throws Exception {
        AgentConfiguration configuration =
                AgentConfiguration.of(
                        Map.of(Key.LOG_FILE, log.toString(), Key.LOG_LEVEL, "notice"), directory);
        try (AgentLog agent = AgentLog.open(configuration)) {
            agent.notice("before");
            String said = logrotate("--force");
            agent.notice("behind");
            assertThat(Path.of(log + ".1")).as(said).content().contains("notice: before");
        }
        assertThat(Files.readAllLines(log)).hasSize(1).first().asString().contains("behind");
    }
}
