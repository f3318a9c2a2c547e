package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandLineTest {
    @Test
    void helpListsCommandsAndExitCodes() {
        Run run = Run.farheap("help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("info", "rm", "Exit codes", "70", "nothing was changed");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void helpIsTheSameWhicheverCommandsWereLeftOut() {
        CommandLine all = Commands.all();
        assertThat(Run.farheap("--help").out()).isEqualTo(all.getUsageMessage());
        all.getSubcommands()
                .forEach(
                        (name, command) -> {
                            String usage = command.getUsageMessage();
                            assertThat(Run.farheap("help", name).out()).isEqualTo(usage);
                            if (!List.of("help", "agent").contains(name)) {
                                assertThat(Run.farheap(name, "--help").out()).isEqualTo(usage);
                            }
                        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"info", "check", "status", "verify", "sync"})
    void aFileThatIsNotThereIsNotToBeCreated(String command, @TempDir Path dir) {
        Run run = Run.farheap(command, dir.resolve("no.set"));
        run.failedWith(ExitCode.ENVIRONMENT, "no.set: No such file or directory");
        assertThat(run.err()).doesNotContain("create");
    }

    @Test
    void anAgentsWordsMayComeFromAFileToo(@TempDir Path dir) throws IOException {
        PrintStream out = System.out;
        try {
            Path words = Files.writeString(dir.resolve("words"), "--nonsense\n");
            int wrong = Run.farheap("agent", "--nonsense").exitCode();
            assertThat(wrong).isEqualTo(255);
            assertThat(Run.farheap("agent", "@" + words).exitCode()).isEqualTo(wrong);
        } finally {
            System.setOut(out); // which is for control messages alone from then on
        }
    }

    @Test
    void wordsMayComeFromAFile(@TempDir Path dir) throws IOException {
        Path pool = dir.resolve("a.pool");
        Path words = Files.writeString(dir.resolve("words"), "create\n" + pool + "\n");
        Run.farheap("@" + words).succeeded();
        assertThat(pool).exists();
    }

    /**
     * As a shell takes them: a comment begins at #, a file to read or write stands behind &lt; or
     * &gt;, and a line that was broken is two commands.
     */
    @Test
    void examplesCanBePasted() {
        for (CommandLine command : Commands.all().getSubcommands().values()) {
            List<String> help = command.getUsageMessage().lines().toList();
            int first = help.indexOf("Examples:") + 1;
            for (String line : first == 0 ? List.<String>of() : help.subList(first, help.size())) {
                List<String> words = shellWords(line);
                if (!words.isEmpty()) {
                    assertThat(words).as(line).startsWith("farheap", command.getCommandName());
                    CommandLine all = Commands.all();
                    String[] typed = words.subList(1, words.size()).toArray(String[]::new);
                    assertThat(all.parseArgs(typed).errors()).as(line).isEmpty();
                }
            }
        }
    }

    private static List<String> shellWords(String line) {
        String command = line.replaceFirst("(^| )#.*", "").replaceFirst(" [<>] .*", "");
        List<String> words = new ArrayList<>();
        Matcher word = Pattern.compile("\"([^\"]*)\"|(\\S+)").matcher(command);
        while (word.find()) {
            words.add(word.group(1) == null ? word.group(2) : word.group(1));
        }
        return words;
    }

    /** The agent's options are rpmemd's, and it is started by programs. */
    @Test
    void everyCommandHasExamples() {
        Commands.all()
                .getSubcommands()
                .forEach(
                        (name, command) -> {
                            if (!List.of("help", "agent").contains(name)) {
                                assertThat(command.getUsageMessage())
                                        .contains("Examples:", "  farheap " + name);
                            }
                        });
    }

    @Test
    void makingAndRemovingSayWhatTheyDidToPrograms(@TempDir Path dir) throws IOException {
        Path pool = dir.resolve("a.pool");
        JsonNode made = json(Run.farheap("create", "--json", "-l", "bank", pool));
        assertThat(made.get("layout").asText()).isEqualTo("bank");
        assertThat(made.get("bytes").asLong()).isEqualTo(Files.size(pool));
        JsonNode gone = json(Run.agreeing("rm", "--json", pool));
        assertThat(gone.get("removed").valueStream().map(JsonNode::asText))
                .contains(pool.toString());
        Run.farheap("rm", "--json", "-i", pool).failedWith(ExitCode.WRONG_USE, "-i");
    }

    private static JsonNode json(Run run) throws IOException {
        return JsonMapper.builder().build().readTree(run.succeeded().out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "nonsense", "rm", "info", "info --nonsense f", "info a b", "feature f"})
    void aWrongCommandLineIsOneSentenceAndExitCode2(String line) {
        Run run = Run.farheap(line.isEmpty() ? new String[0] : line.split(" "));

        run.failedWith(ExitCode.WRONG_USE);
        assertThat(run.err()).contains("--help").doesNotContain("Error:");
    }

    @Test
    void optionsOfARepairNeedOne() {
        Run.farheap("check", "-d", "f").failedWith(ExitCode.WRONG_USE, "add -r");
    }

    @Test
    void aPoolThatIsTooSmallIsToldWhatItNeeds(@TempDir Path dir) {
        Run.farheap("create", "-s", "1K", dir.resolve("p"))
                .failedWith(ExitCode.WRONG_USE, "1024 smaller than 8388608", "8 MiB at least");
    }
}
