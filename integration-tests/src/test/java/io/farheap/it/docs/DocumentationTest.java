package io.farheap.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.engine.TxSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the pages say is so. */
class DocumentationTest {
    private static final Path ROOT = Path.of("..");
    private static final Path SETTINGS = ROOT.resolve("docs/settings.md");
    private static final List<String> MODULES =
            List.of(
                    "poolset-parser",
                    "objstore",
                    "testing",
                    "replication",
                    "remote-memory",
                    "availability",
                    "availability-zookeeper",
                    "target-agent",
                    "pool-tools",
                    "integration-tests");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w+Test)#(\\w+)`");
    private static final Pattern VARIABLE =
            Pattern.compile("\"((?:FARHEAP|PMEM|PMEMOBJ|RPMEM|SSH)_[A-Z_]+)\"");
    private static final Pattern DOCUMENTED =
            Pattern.compile("`((?:FARHEAP|PMEM|PMEMOBJ|RPMEM|SSH)_[A-Z_]+)`");
    private static final Pattern ROW = Pattern.compile("\\| `([A-Z_]+)` \\| `([^`]*)` \\|");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)\\)");

    @TempDir private Path directory;

    @Test
    void everyVariableIsDocumentedAndNoOther() throws IOException {
        Set<String> read = new TreeSet<>();
        for (Path source : sources()) {
            read.addAll(found(VARIABLE, Files.readString(source)));
        }

        assertThat(found(DOCUMENTED, Files.readString(SETTINGS))).isEqualTo(read);
    }

    @Test
    void theDefaultsOfTransactionsAreThose() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(SETTINGS));
        while (row.find()) {
            rows.put(row.group(1), row.group(2));
        }

        assertThat(rows).containsKey("FARHEAP_LOCK_TIMEOUT_MILLIS");
        assertThat(TxSettings.fromEnvironment(rows)).isEqualTo(TxSettings.DEFAULTS);
    }

    @Test
    void theExampleOfTheReadmeIsThisOneAndWorks() throws IOException {
        String source = example("ReadmeExample");
        String compiled =
                between(source, "// README, types: begin\n", "// README, types: end")
                        + between(source, "// README: begin\n", "// README: end");

        assertThat(shown("README.md")).isEqualTo(withPathOfSet(compiled));
        assertThat(ReadmeExample.run(set())).isEqualTo(100);
    }

    @Test
    void theExampleOfTheRawApiIsThisOneAndWorks() throws IOException {
        String compiled =
                between(
                        example("RawExample"),
                        "// docs/libpmemobj.md: begin\n",
                        "// docs/libpmemobj.md: end");

        assertThat(shown("docs/libpmemobj.md")).isEqualTo(withPathOfSet(compiled));
        assertThat(RawExample.run(set())).isEqualTo(100);
    }

    private static String example(String name) throws IOException {
        return Files.readString(Path.of("src/test/java/io/farheap/it/docs", name + ".java"));
    }

    /** The first Java code of a page. */
    private static String shown(String page) throws IOException {
        return bare(between(Files.readString(ROOT.resolve(page)), "```java\n", "```"));
    }

    private static String withPathOfSet(String compiled) {
        return bare(compiled).replace("(bankSet", bare("(Path.of(\"bank.set\")"));
    }

    private Path set() throws IOException {
        return Files.writeString(
                directory.resolve("bank.set"), "PMEMPOOLSET\n8M " + directory + "/bank\n");
    }

    /** It runs in its own module. */
    @Test
    void theExampleOfThePageOnTestingIsThisOne() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/testing.md"));
        String source =
                Files.readString(
                        ROOT.resolve(
                                "testing/src/test/java/io/farheap/testing/BankPowerLossTest.java"));

        assertThat(bare(between(page, "```java\n", "```")))
                .isEqualTo(
                        bare(
                                between(
                                        source,
                                        "// docs/testing.md: begin\n",
                                        "// docs/testing.md: end")));
    }

    @Test
    void everyLinkLeadsToAFile() throws IOException {
        for (Path page : pages()) {
            for (String link : found(LINK, Files.readString(page))) {
                if (!link.contains("://")) {
                    assertThat(page.resolveSibling(link)).as("linked in " + page).exists();
                }
            }
        }
    }

    @Test
    void everyTestInTheTableOfBreaksExists() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/breaks.md"));
        Set<String> named = new TreeSet<>();
        Matcher test = TEST.matcher(page);
        while (test.find()) {
            named.add(test.group(1) + ' ' + test.group(2));
        }
        assertThat(named).hasSizeGreaterThan(25);
        for (String name : named) {
            String[] word = name.split(" ");
            assertThat(testSource(word[0])).as(name).contains("void " + word[1] + "(");
        }
    }

    /** Of a test class anywhere in the project. */
    private static String testSource(String simpleName) throws IOException {
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
                Optional<Path> found =
                        files.filter(file -> file.endsWith(simpleName + ".java")).findFirst();
                if (found.isPresent()) {
                    return Files.readString(found.get());
                }
            }
        }
        throw new AssertionError("there is no test " + simpleName);
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            Stream<Path> pages = docs.filter(file -> file.toString().endsWith(".md"));
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), pages).toList();
        }
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (String module : MODULES.subList(0, MODULES.size() - 1)) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
                files.filter(file -> file.toString().endsWith(".java")).forEach(sources::add);
            }
        }
        return sources;
    }

    private static Set<String> found(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    private static String between(String text, String begin, String end) {
        int from = text.indexOf(begin) + begin.length();
        return text.substring(from, text.indexOf(end, from));
    }

    private static String bare(String code) {
        return code.replaceAll("\\s+", "");
    }
}
