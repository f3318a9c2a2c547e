package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive that the profile {@code dist} has made, unpacked somewhere else and run. */
@Tag("dist")
class DistributionTest {
    /** What is said to compilers: the last level that methods are compiled at. */
    private static final String SHORT = "1";

    private static final String CIPHERS =
            "quiet CompileThresholdScaling,com.sun.crypto.provider.*::*,0.1 4";

    @TempDir private static Path unpacked;
    private static Path home;

    @TempDir private Path dir;

    private record Answer(int exitCode, String out, String err) {}

    @BeforeAll
    static void unpack() throws Exception {
        Process tar =
                new ProcessBuilder(
                                "tar",
                                "-xzf",
                                System.getProperty("farheap.archive"),
                                "-C",
                                unpacked.toString())
                        .inheritIO()
                        .start();
        assertThat(tar.waitFor()).isZero();
        try (Stream<Path> files = Files.list(unpacked)) {
            home = files.findFirst().orElseThrow();
        }
    }

    /** Only what any system has is in the path: no Java. */
    private Answer farheap(Map<String, String> more, Object... words)
            throws IOException, InterruptedException {
        Path tools = Files.createDirectories(dir.resolve("tools"));
        Path readlink = tools.resolve("readlink");
        if (!Files.exists(readlink)) {
            Files.copy(Path.of("/usr/bin/readlink"), readlink, StandardCopyOption.COPY_ATTRIBUTES);
        }
        List<String> command = new ArrayList<>(List.of(home.resolve("bin/farheap").toString()));
        Stream.of(words).map(Object::toString).forEach(command::add);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().put("PATH", tools.toString());
        builder.environment().putAll(more);
        Path err = dir.resolve("err");
        Process process = builder.redirectError(err.toFile()).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(process.waitFor(), out, Files.readString(err));
    }

    private Answer succeeds(Object... words) throws IOException, InterruptedException {
        Answer answer = farheap(Map.of(), words);
        assertThat(answer.err()).as(List.of(words).toString()).isEmpty();
        assertThat(answer.exitCode()).as(List.of(words).toString()).isZero();
        return answer;
    }

    @Test
    void itNeedsNoOtherJava() throws Exception {
        assertThat(succeeds("--help").out()).contains("transform", "Exit codes");
        Path set = dir.resolve("pool.set");
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/a\nREPLICA\n8M %1$s/b\n".formatted(dir));
        succeeds("create", "-l", "bank", set);
        assertThat(succeeds("info", set).out()).contains("PMEMOBJ");
        succeeds("check", set);
        Files.delete(dir.resolve("b"));
        assertThat(succeeds("sync", set).out()).contains("synchronized");
        succeeds("check", set);
        Answer missing = farheap(Map.of(), "info", dir.resolve("none"));
        assertThat(missing.exitCode()).isEqualTo(ExitCode.ENVIRONMENT);
        assertThat(missing.err().lines()).hasSize(1);
    }

    /** Else it would start as slowly as any, and nobody would be told. */
    @Test
    void allClassesComeFromTheCacheWhereverItIsUnpacked() throws Exception {
        Path pool = dir.resolve("a.pool");
        succeeds("create", pool);
        for (Object[] words :
                new Object[][] {
                    {"--version"}, {"info", pool}, {"feature", "-l", pool}, {"status", pool}
                }) {
            Path log = dir.resolve("loaded");
            Map<String, String> logging =
                    Map.of("JDK_JAVA_OPTIONS", "-Xlog:class+load:file=" + log);
            assertThat(farheap(logging, words).exitCode()).isZero();
            assertThat(Files.readAllLines(log))
                    .as(List.of(words).toString())
                    .anyMatch(line -> line.contains(" io.farheap.tools.Main source: shared"))
                    .noneMatch(line -> line.contains(" source: file:"));
        }
    }

    /** Only the optimizing compiler knows AES: without it a GiB takes most of a minute. */
    @Test
    void ciphersAreCompiledWellWhereDataGoesWithinTls() throws Exception {
        Path set = dir.resolve("far.set");
        Files.writeString(set, "PMEMPOOLSET\n8M %s/far\nREPLICA far far.set\n".formatted(dir));
        Path beside = dir.resolve("far.set.replication");
        Map<String, String> tls = Map.of("FARHEAP_CONNECT", "tls:7891");
        assertThat(compiler(Map.of(), "sync", set)).isEqualTo(SHORT);
        assertThat(compiler(tls, "sync", set)).isEqualTo(CIPHERS);
        assertThat(compiler(tls, "agent", "--version")).isEqualTo(CIPHERS);
        assertThat(compiler(tls, "status", set)).isEqualTo(SHORT);
        assertThat(compiler(Map.of("FARHEAP_CONNECT", "tls", "FARHEAP_DATA", "plain"), "sync", set))
                .isEqualTo(SHORT);

        Files.writeString(beside, "policy = degrade\nconnect far far.set = tls");
        assertThat(compiler(Map.of(), "sync", "-d", set)).isEqualTo(CIPHERS);
        Files.writeString(beside, "connect = tls\ndata = plain\n");
        assertThat(compiler(Map.of(), "sync", set)).isEqualTo(SHORT);
        Files.writeString(beside, "#connect = tls\n");
        assertThat(compiler(Map.of(), "sync", set)).isEqualTo(SHORT);
    }

    /** What ends in a moment spends it on compiling else. */
    @Test
    void compilingBeginsLateWhereACommandIsBrief() throws Exception {
        Path pool = dir.resolve("a.pool");
        for (Object[] words :
                new Object[][] {
                    {}, {"--version"}, {"poolset", pool}, {"info", pool}, {"status", pool}
                }) {
            assertThat(scaling(words)).as(List.of(words).toString()).isEqualTo(10);
        }
        for (Object[] words : new Object[][] {{"sync", pool}, {"backup", pool, dir}}) {
            assertThat(scaling(words)).as(List.of(words).toString()).isEqualTo(0.25);
        }
        assertThat(scaling("check", pool)).isEqualTo(1);
    }

    private double scaling(Object... words) throws Exception {
        return farheap(Map.of("JDK_JAVA_OPTIONS", "-XX:+PrintFlagsFinal"), words)
                .out()
                .lines()
                .filter(line -> line.matches(" *double CompileThresholdScaling +=.*"))
                .mapToDouble(line -> Double.parseDouble(line.split("[= ]+")[3]))
                .findFirst()
                .orElseThrow();
    }

    /** Each shape of a function takes a fifth of the time of info to link. */
    @Test
    void infoLinksNativeFunctionsOfOneShapeOnly() throws Exception {
        Path pool = dir.resolve("a.pool");
        succeeds("create", pool);
        Path log = dir.resolve("loaded");
        Map<String, String> logging = Map.of("JDK_JAVA_OPTIONS", "-Xlog:class+load:file=" + log);
        assertThat(farheap(logging, "info", pool).exitCode()).isZero();
        assertThat(Files.readAllLines(log))
                .filteredOn(line -> line.contains("jdk.internal.foreign.abi.DowncallStub/"))
                .hasSize(1);
    }

    private String compiler(Map<String, String> settings, Object... words) throws Exception {
        Map<String, String> printing = new HashMap<>(settings);
        printing.put("JDK_JAVA_OPTIONS", "-XX:+PrintFlagsFinal");
        return farheap(printing, words)
                .out()
                .lines()
                .map(String::strip)
                .filter(
                        line ->
                                line.matches(
                                        "(\\w+ +)?(TieredStopAtLevel|CompileCommand) +\\+?=.*"))
                .map(line -> line.replaceFirst("[^=]*= *", "").replaceFirst(" *\\{.*", ""))
                .filter(value -> !value.isEmpty())
                .collect(Collectors.joining(" "));
    }

    /** It was written when the distribution was built. */
    @Test
    void helpNeedsNoJava() throws Exception {
        Path runtime = home.resolve("runtime");
        Files.move(runtime, home.resolve("no-runtime"));
        try {
            String all = Run.farheap("--help").out();
            for (String word : List.of("--help", "-h", "help")) {
                assertThat(succeeds(word).out()).isEqualTo(all);
            }
            for (String command : Commands.all().getSubcommands().keySet()) {
                String one = Run.farheap("help", command).out();
                assertThat(succeeds("help", command).out()).isEqualTo(one);
                if (!command.equals("agent")) {
                    assertThat(succeeds(command, "--help").out()).isEqualTo(one);
                }
                assertThat(Files.readString(home.resolve("lib/help/" + command + ".colours")))
                        .isEqualTo(Run.inColour("help", command).out());
            }
        } finally {
            Files.move(home.resolve("no-runtime"), runtime);
        }
    }

    /** What is no command has no help: Java says so. */
    @Test
    void whatIsNotWrittenIsAskedOfJava() throws Exception {
        for (String word : List.of("farheap", "../help/info", "nonsense", "info.txt")) {
            Answer answer = farheap(Map.of(), "help", word);
            assertThat(answer.exitCode()).as(word).isEqualTo(ExitCode.WRONG_USE);
            assertThat(answer.out()).as(word).isEmpty();
        }
    }

    /** With what an agent is told, of which the list of commands has no more than a line. */
    @Test
    void theHelpOfTheAgentIsItsOwn() throws Exception {
        for (String word : List.of("--help", "-h")) {
            assertThat(succeeds("agent", word).out()).contains("--listen", "--config");
        }
    }

    @Test
    void helpThatCannotBeWrittenIsTold() throws Exception {
        Path err = dir.resolve("err");
        Process full =
                new ProcessBuilder(home.resolve("bin/farheap").toString(), "--help")
                        .redirectOutput(Path.of("/dev/full").toFile())
                        .redirectError(err.toFile())
                        .start();
        assertThat(full.waitFor()).isEqualTo(ExitCode.ENVIRONMENT);
        assertThat(Files.readString(err))
                .startsWith("farheap: standard output can't be written")
                .hasLineCount(1);
    }

    /** Java does not start there, and ends with the exit code of a damaged pool. */
    @Test
    void aDirectoryThatIsGoneIsSaid() throws Exception {
        Path gone = Files.createDirectory(dir.resolve("gone"));
        String script = "cd '%s' && rmdir '%s' && '%s' check x".formatted(gone, gone, launcher());
        Path err = dir.resolve("err");
        Process lost =
                new ProcessBuilder("/bin/sh", "-c", script).redirectError(err.toFile()).start();
        assertThat(lost.waitFor()).isEqualTo(ExitCode.ENVIRONMENT);
        assertThat(Files.readString(err)).contains("farheap: the current directory is gone");
    }

    private static Path launcher() {
        return home.resolve("bin/farheap");
    }

    @Test
    void itHasTheDocumentation() {
        assertThat(home.resolve("docs/runbook.md")).exists();
        assertThat(home.resolve("LICENSE")).exists();
        assertThat(home.resolve("NOTICE")).exists();
        assertThat(home.resolve("config-samples")).isDirectory();
    }
}
