package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command in a process of its own, on a terminal that script(1) plays. */
class TerminalTest {
    private static final Map<String, String> XTERM = Map.of("TERM", "xterm");

    @TempDir private Path dir;
    private Path set;

    @BeforeEach
    void aMirroredPool() throws IOException {
        set = dir.resolve("bank.set");
        Files.writeString(set, "PMEMPOOLSET\n8M %1$s/a\nREPLICA\n8M %1$s/b\n".formatted(dir));
        ObjectPool.create(set, "bank").close();
    }

    /**
     * @param more behind the command, in the shell
     */
    private String onATerminal(Map<String, String> environment, String more, String... words)
            throws IOException, InterruptedException {
        String command = LocalMachine.quoted(LocalMachine.java(Main.class.getName(), words));
        ProcessBuilder script =
                new ProcessBuilder("script", "-qec", command + more, "/dev/null")
                        .redirectErrorStream(true)
                        .redirectInput(Path.of("/dev/null").toFile());
        script.environment().keySet().removeAll(List.of("NO_COLOR", "TERM"));
        script.environment().putAll(environment);
        Process process = script.start();
        String shown = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(shown).isZero();
        return shown;
    }

    @Test
    void thereAreColoursOnATerminalUnlessItsUserWantsNone() throws Exception {
        String[] words = {"status", set.toString()};
        assertThat(onATerminal(XTERM, "", words)).contains("\u001b[32mcurrent\u001b[0m");
        assertThat(onATerminal(Map.of("TERM", "xterm", "NO_COLOR", "1"), "", words))
                .contains("current")
                .doesNotContain("\u001b");
        assertThat(onATerminal(Map.of("TERM", "xterm", "NO_COLOR", ""), "", words))
                .contains("\u001b[32mcurrent\u001b[0m");
        assertThat(onATerminal(Map.of("TERM", "dumb"), "", words))
                .contains("current")
                .doesNotContain("\u001b");
    }

    @Test
    void whatGoesOnThroughAPipeHasNone() throws Exception {
        assertThat(onATerminal(XTERM, " | cat", "status", set.toString()))
                .contains("current")
                .doesNotContain("\u001b");
    }

    @Test
    void progressIsShownOnATerminalOnly() throws Exception {
        Path errors = dir.resolve("errors");
        String[] words = {"verify", set.toString()};
        assertThat(onATerminal(XTERM, " 2>" + errors, words)).doesNotContain("comparing");
        assertThat(errors).isEmptyFile();
        assertThat(onATerminal(XTERM, "", words)).contains("comparing", "% [");
    }

    /** Pages that are skipped are not counted, and done with all the same. */
    @Test
    void progressOfWhatSucceededEndsAtAHundredPerCent() throws Exception {
        Files.delete(dir.resolve("b"));
        String sync = onATerminal(XTERM, "", "sync", set.toString());
        assertThat(bars(sync, "copying")).last().asString().contains("100% [");
        assertThat(bars(sync, "comparing")).last().asString().contains("100% [");
    }

    private static List<String> bars(String shown, String task) {
        return shown.lines()
                .flatMap(line -> Stream.of(line.split("\r")))
                .filter(bar -> bar.contains(task) && bar.contains("% ["))
                .toList();
    }
}
