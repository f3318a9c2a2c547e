package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {
    @Test
    void helpListsCommandsAndExitCodes() {
        Run run = Run.farheap("help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("info", "rm", "Exit codes", "70", "nothing was changed");
        assertThat(run.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "rm", "info", "info --nonsense f", "info a b"})
    void aWrongCommandLineIsOneSentenceAndExitCode2(String line) {
        Run run = Run.farheap(line.isEmpty() ? new String[0] : line.split(" "));

        run.failedWith(ExitCode.WRONG_USE);
        assertThat(run.err()).contains("--help");
    }
}
