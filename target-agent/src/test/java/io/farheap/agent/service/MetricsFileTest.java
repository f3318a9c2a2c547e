package io.farheap.agent.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.config.AgentConfiguration.LogLevel;
import io.farheap.agent.log.AgentLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of an agent's metrics: there as a whole, and nobody else's file. */
class MetricsFileTest {
    private static final String TEXT = AgentMetrics.BEGIN + "time_seconds When.\n";

    @TempDir private Path directory;
    private final List<String> said = new ArrayList<>();

    private final AgentLog log =
            new AgentLog(
                    LogLevel.DEBUG,
                    new AgentLog.Sink() {
                        @Override
                        public void write(LogLevel level, String message) {
                            said.add(message);
                        }

                        @Override
                        public void close() {}
                    });

    private List<String> files(Path where) throws IOException {
        try (Stream<Path> files = Files.list(where)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void itIsReplacedAndReadableForTheCollector() throws IOException {
        Path out = directory.resolve("agent.prom");
        MetricsFile file = new MetricsFile(out, log);
        file.write(TEXT);
        Files.setPosixFilePermissions(out, PosixFilePermissions.fromString("rw-------"));
        Object before = Files.readAttributes(out, "unix:ino");
        file.write(TEXT + "more\n");

        assertThat(out).content().isEqualTo(TEXT + "more\n");
        assertThat(Files.getPosixFilePermissions(out))
                .isEqualTo(PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(Files.readAttributes(out, "unix:ino"))
                .as("another file: whoever reads the old one reads all of it")
                .isNotEqualTo(before);
        assertThat(files(directory)).containsExactly("agent.prom");
        assertThat(said).isEmpty();
    }

    @Test
    void anotherFileIsLeftAloneAndThatIsSaidOnce() throws IOException {
        Path out = directory.resolve("bank.part0");
        Files.writeString(out, "PMEMPOOLSET of somebody, who counts on it");
        MetricsFile file = new MetricsFile(out, log);
        file.write(TEXT);
        file.write(TEXT);

        assertThat(out).content().startsWith("PMEMPOOLSET");
        assertThat(said)
                .containsExactly(
                        "The metrics can't be written to "
                                + out
                                + ": it has no metrics of an agent, and is not replaced: name"
                                + " another file");
        Files.writeString(out, "# HELP farheap_status_time_seconds of another command\n");
        file.write(TEXT);
        assertThat(out).content().contains("farheap_status");

        Files.delete(out);
        file.write(TEXT);
        file.write(TEXT);
        assertThat(out).content().isEqualTo(TEXT);
        assertThat(said).hasSize(2).last().asString().contains("are written to " + out + " again");
    }

    @Test
    void aDirectoryThatIsGoneEndsNothing() throws IOException {
        Path collected = Files.createDirectory(directory.resolve("collected"));
        MetricsFile file = new MetricsFile(collected.resolve("agent.prom"), log);
        Files.delete(collected);
        file.write(TEXT);
        file.write(TEXT);
        assertThat(said).hasSize(1).first().asString().contains("NoSuchFileException");

        Files.createDirectory(collected);
        file.write(TEXT);
        assertThat(files(collected)).containsExactly("agent.prom");
    }

    @Test
    void whatIsNoFileIsLeft() throws IOException {
        Path part = Files.writeString(directory.resolve("bank.part0"), "bytes of a replica");
        Path out = directory.resolve("agent.prom");
        Files.createSymbolicLink(directory.resolve("agent.prom.farheap-unfinished"), part);
        new MetricsFile(out, log).write(TEXT);
        assertThat(out).content().isEqualTo(TEXT);
        assertThat(part).content().isEqualTo("bytes of a replica");
        assertThat(said).isEmpty();

        Path link = Files.createSymbolicLink(directory.resolve("null.prom"), Path.of("/dev/null"));
        new MetricsFile(link, log).write(TEXT);
        assertThat(link).isSymbolicLink();
        Path empty = Files.createFile(directory.resolve("empty"));
        new MetricsFile(empty, log).write(TEXT);
        assertThat(empty).isEmptyFile();
        assertThat(said).hasSize(2);
    }

    @Test
    void aDirectoryInItsPlaceIsLeft() throws IOException {
        Path out = Files.createDirectories(directory.resolve("agent.prom"));
        new MetricsFile(out, log).write(TEXT);
        assertThat(said).hasSize(1);
        assertThat(out).isEmptyDirectory();
        assertThat(files(directory)).containsExactly("agent.prom");
    }
}
