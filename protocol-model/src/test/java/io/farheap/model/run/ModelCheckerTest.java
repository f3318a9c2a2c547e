package io.farheap.model.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.model.Suite;
import io.farheap.model.Suite.Case;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The command knows every model of this directory, and the script compiles and runs it. */
class ModelCheckerTest {
    private static final Path SOURCES = Path.of("src/main/java/io/farheap/model");

    @Test
    void eachPackageWithAModelHasASuiteThatTheCommandRuns() throws IOException {
        Set<String> withModels;
        try (Stream<Path> sources = Files.walk(SOURCES)) {
            withModels =
                    sources.filter(source -> text(source).contains(" implements Model {"))
                            .map(source -> packageOf(source.getParent()))
                            .collect(Collectors.toSet());
        }
        Set<String> run =
                ModelChecker.suites().stream()
                        .flatMap(suite -> suite.rules().stream())
                        .map(rule -> rule.exploration().getClass().getPackageName())
                        .collect(Collectors.toSet());

        assertThat(withModels).hasSizeGreaterThan(2).isEqualTo(run);
    }

    @Test
    void aRuleIsFoundByItsNameAlone() {
        List<String> rules =
                ModelChecker.suites().stream()
                        .flatMap(suite -> suite.rules().stream())
                        .map(Case::title)
                        .toList();

        assertThat(rules).doesNotHaveDuplicates();
        assertThat(rules)
                .doesNotContainAnyElementsOf(
                        ModelChecker.suites().stream().map(Suite::name).toList());
    }

    @Test
    void theScriptShowsATraceOfEachModelsRule() throws Exception {
        for (String rule : List.of("undo-before-store", "record-before-ack", "second-look")) {
            assertThat(output(rule)).startsWith("without " + rule + ": ").contains("initially");
        }
    }

    @Test
    void whoNamesNoRuleIsToldWhichThereAre() throws Exception {
        assertThat(output("heap", "nothing"))
                .contains("nothing is neither a model nor a rule", "heap: second-look")
                .doesNotContain("protocol:");
    }

    private static String output(String... arguments) throws Exception {
        Process process =
                new ProcessBuilder(
                                Stream.concat(Stream.of("./run"), Arrays.stream(arguments))
                                        .toList())
                        .redirectErrorStream(true)
                        .start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isEqualTo(out.startsWith("without ") ? 0 : 2);
        return out;
    }

    private static String text(Path file) {
        try {
            return Files.isDirectory(file) ? "" : Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String packageOf(Path directory) {
        return Path.of("src/main/java").relativize(directory).toString().replace('/', '.');
    }
}
