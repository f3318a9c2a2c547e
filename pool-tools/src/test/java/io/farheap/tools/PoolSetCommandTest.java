package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.layout.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolSetCommandTest {
    private static final long HEAP = Descriptor.DEFAULT_HEAP_OFFSET;

    @TempDir Path dir;

    private Path set(String lines) throws IOException {
        return Files.writeString(
                dir.resolve("z.set"), "PMEMPOOLSET\n" + lines.replace("@", dir.toString()));
    }

    private JsonNode json(Path set) throws IOException {
        Run run = Run.farheap("poolset", "--json", set).succeeded();
        return new ObjectMapper().readTree(run.out());
    }

    private static List<String> advice(JsonNode json) {
        List<String> lines = new ArrayList<>();
        json.get("advice").forEach(line -> lines.add(line.asText()));
        return lines;
    }

    @Test
    void aMistakeInTheSettingsOfItsReplicasIsFoundByItsLine() throws IOException {
        Path set = set("8M @/a\nREPLICA backup copy.set\n");
        Path settings = Path.of(set + ".replication");
        Files.writeString(settings, "# how\npolicy = degrad\n");
        for (String command : new String[] {"poolset", "check"}) {
            Run.farheap(command, set).failedWith(ExitCode.BAD_DATA, settings + ":2: ", "degrad");
        }
    }

    @Test
    void sizesAreThoseThatThePoolWillHave() throws IOException {
        Path set = set("8M @/a\n9M @/b\nREPLICA\n16M @/c\nREPLICA backup copy.set\n");

        JsonNode json = json(set);

        long size = 16L << 20;
        assertThat(json.at("/valid").asBoolean()).isTrue();
        assertThat(json.at("/poolSize").asLong()).isEqualTo(size);
        assertThat(json.at("/heapSize").asLong()).isEqualTo(size - HEAP);
        assertThat(json.at("/replicas/0/unused").asLong()).isEqualTo((1 << 20) - 4096);
        assertThat(json.at("/replicas/0/parts/0/holds").toString())
                .isEqualTo(
                        "[\"header 4096\",\"descriptor 4096\",\"lanes 3145728\",\"heap %d\"]"
                                .formatted((8 << 20) - HEAP));
        assertThat(json.at("/replicas/0/parts/1/line").asInt()).isEqualTo(3);
        assertThat(json.at("/replicas/0/parts/1/imageOffset").asText()).isEqualTo("0x800000");
        assertThat(json.at("/replicas/2/target").asText()).isEqualTo("backup copy.set");
        Path local = set("8M @/a\n9M @/b\nREPLICA\n16M @/c\n");
        Run.farheap("create", local).succeeded();
        assertThat(Run.farheap("info", local).succeeded().out())
                .contains("Heap size                : " + (size - HEAP));
        assertThat(json(local).at("/replicas/0/parts/0/state").asText()).isEqualTo("there");
    }

    @Test
    void aByteOrderMarkIsAMistakeForEveryCommand() throws IOException {
        Path set = dir.resolve("z.set");
        Files.writeString(set, "\ufeffPMEMPOOLSET\n8M " + dir + "/a\n");
        for (String command : List.of("poolset", "info", "status", "create", "rm", "sync")) {
            Run.farheap(command, set)
                    .failedWith(ExitCode.BAD_DATA, ":1:1: ", "byte order mark", "without one");
        }
    }

    @Test
    void whereThereIsNoAdviceNothingIsSaidOfIt() throws IOException {
        Path set = set("8M @/a\n");
        assertThat(Run.farheap("poolset", set).succeeded().out()).doesNotContain("Advice");
        assertThat(advice(json(set))).isEmpty();
    }

    @Test
    void aMistakeHasALineAndAColumn() throws IOException {
        Path set = set("8X @/a\n");
        Run.farheap("poolset", set)
                .failedWith(ExitCode.BAD_DATA, set + ":2:1:", "'8X'", "expected");
        Run run = Run.farheap("poolset", "--json", set);
        assertThat(run.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertThat(json.get("valid").asBoolean()).isFalse();
        assertThat(json.get("line").asInt()).isEqualTo(2);
        assertThat(json.get("column").asInt()).isEqualTo(1);
        Run.farheap("poolset", set("1M @/a\n")).failedWith(ExitCode.BAD_DATA, ":2:1:", "2M");
        Run.farheap("poolset", dir.resolve("no.set")).failedWith(ExitCode.ENVIRONMENT, "No such");
        Files.writeString(set, "no set");
        Run.farheap("poolset", set).failedWith(ExitCode.BAD_DATA, ":1:1:");
        Run.farheap("poolset", dir).failedWith(ExitCode.BAD_DATA, "is a directory");
    }

    @Test
    void theRulesOfATargetAreOthers() throws IOException {
        Path set = set("8M @/a\nREPLICA\n8M @/b\n");
        Run.farheap("poolset", set).succeeded();
        Run.farheap("poolset", "--target", set).failedWith(ExitCode.BAD_DATA, ":3:1:");
    }

    @Test
    void whatIsWorthAThoughtIsSaid() throws IOException {
        Path set = set("9000000 @/a\n4M @/b\nREPLICA\n900P @/none/c\nREPLICA\n900P @/d\n");
        Files.write(dir.resolve("b"), new byte[5000]);

        assertThat(advice(json(set)))
                .hasSize(8)
                .anyMatch(line -> line.contains("/a: its last 1088 bytes"))
                .anyMatch(line -> line.contains("/b is smaller than 8M"))
                .anyMatch(line -> line.contains("/b has 5000 bytes, its line says 4194304"))
                .anyMatch(line -> line.equals("make the directory " + dir + "/none"))
                .anyMatch(line -> line.contains("one file system"))
                .anyMatch(line -> line.contains("make room"))
                .anyMatch(line -> line.startsWith("replica 1 has"));
        assertThat(advice(json(set("8M @/a\n")))).isEmpty();
    }
}
