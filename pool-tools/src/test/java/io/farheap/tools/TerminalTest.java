package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.layout.Descriptor;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command in a process of its own, on a terminal that script(1) plays. */
class TerminalTest {
    private static final Map<String, String> XTERM = Map.of("TERM", "xterm");

    /** Of the first zone: its header is before. */
    private static final int CHUNK_HEADERS = (int) Descriptor.DEFAULT_HEAP_OFFSET + 1024 + 64;

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
        return onATerminal(environment, Path.of("/dev/null"), more, words);
    }

    /**
     * @param typed a file with what is typed there
     */
    private String onATerminal(
            Map<String, String> environment, Path typed, String more, String... words)
            throws IOException, InterruptedException {
        String command = LocalMachine.quoted(LocalMachine.java(Main.class.getName(), words));
        ProcessBuilder script =
                new ProcessBuilder("script", "-qec", command + more, "/dev/null")
                        .redirectErrorStream(true)
                        .redirectInput(typed.toFile());
        script.environment().keySet().removeAll(List.of("NO_COLOR", "TERM"));
        script.environment().putAll(environment);
        Process process = script.start();
        String shown = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(shown).isZero();
        return shown;
    }

    @Test
    @Tag("deep")
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
    @Tag("deep")
    void progressOfWhatSucceededEndsAtAHundredPerCent() throws Exception {
        Files.delete(dir.resolve("b"));
        String sync = onATerminal(XTERM, "", "sync", set.toString());
        assertThat(bars(sync, "copying")).last().asString().contains("100% [");
        String verify = onATerminal(XTERM, "", "verify", set.toString());
        assertThat(bars(verify, "comparing")).last().asString().contains("100% [");
    }

    @Test
    @Tag("deep")
    void whatOverwritesOrRemovesCopiesAsksOnATerminal() throws Exception {
        Path no = Files.writeString(dir.resolve("no"), "no\n");
        Path yes = Files.writeString(dir.resolve("yes"), "y\n");
        Path alone = Files.writeString(dir.resolve("alone.set"), "PMEMPOOLSET\n8M @\n");
        Files.writeString(alone, Files.readString(alone).replace("@", dir + "/a"));
        damage();

        String[] check = {"check", "-r", set.toString()};
        assertThat(onATerminal(XTERM, no, " || true", check))
                .contains("is overwritten", "repair " + set + " ? [y/N] ", ": not repaired");
        assertThat(onATerminal(XTERM, yes, "", check)).contains("repaired");

        String[] transform = {"transform", set.toString(), alone.toString()};
        assertThat(onATerminal(XTERM, no, " || true", transform))
                .contains("is removed", "remove these copies ? [y/N] ", "nothing was changed");
        assertThat(dir.resolve("b")).exists();
        assertThat(onATerminal(XTERM, yes, "", transform)).contains("the pool is as this file");
        assertThat(dir.resolve("b")).doesNotExist();
    }

    /** A chunk of replica 1 that the heap can't have. */
    private void damage() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(dir.resolve("b").toFile(), "rw")) {
            file.seek(CHUNK_HEADERS + 4);
            file.write(200);
        }
    }

    private static List<String> bars(String shown, String task) {
        return shown.lines()
                .flatMap(line -> Stream.of(line.split("\r")))
                .filter(bar -> bar.contains(task) && bar.contains("% ["))
                .toList();
    }
}
