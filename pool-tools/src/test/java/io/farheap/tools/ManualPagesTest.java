package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Manual pages and completion, made of what {@code --help} says. */
class ManualPagesTest {
    @TempDir Path share;

    @BeforeEach
    void make() throws IOException {
        ManualPages.main(new String[] {share.toString()});
    }

    private String page(String name) throws IOException {
        return Files.readString(share.resolve("man/man1/" + name + ".1"));
    }

    @Test
    void eachCommandHasAPageWithAllItsOptions() throws IOException {
        assertThat(page("farheap")).contains(".SH EXIT STATUS", "\\fBsync\\fR");
        for (CommandLine command : Commands.all().getSubcommands().values()) {
            String page = page("farheap-" + command.getCommandName());
            assertThat(page).contains(".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION");
            for (OptionSpec option : command.getCommandSpec().options()) {
                for (String name : option.names()) {
                    if (!option.hidden()) {
                        assertThat(page).contains("\\fB" + name.replace("-", "\\-") + "\\fR");
                    }
                }
            }
        }
    }

    @Test
    void examplesStandLineByLine() throws IOException {
        assertThat(page("farheap-sync"))
                .contains(
                        """
                        .SH EXAMPLES
                        .nf
                          farheap sync \\-d bank.set""");
    }

    @Test
    void noLineOfTextIsTakenForAMacro() throws IOException {
        List<String> macros = List.of(".TH ", ".SH ", ".TP", ".PP", ".nf", ".fi");
        try (Stream<Path> pages = Files.list(share.resolve("man/man1"))) {
            for (Path page : pages.toList()) {
                assertThat(Files.readAllLines(page))
                        .as(page.toString())
                        .filteredOn(line -> line.startsWith(".") || line.startsWith("'"))
                        .allMatch(line -> macros.stream().anyMatch(line::startsWith));
            }
        }
    }

    @Test
    void bashCompletesCommandsAndOptions() throws Exception {
        assertThat(completions("farheap", "prom")).contains("promote");
        assertThat(completions("farheap", "sync", "--dry")).contains("--dry-run");
    }

    private List<String> completions(String... words) throws Exception {
        String script =
                """
                source "$1"; shift
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
                _complete_farheap farheap "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """;
        List<String> command =
                Stream.concat(
                                Stream.of(
                                        "bash",
                                        "-c",
                                        script,
                                        "bash",
                                        share.resolve("bash-completion/completions/farheap")
                                                .toString()),
                                Stream.of(words))
                        .toList();
        Process bash = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).as(said).isZero();
        return said.lines().map(String::strip).toList();
    }
}
