package io.farheap.tools.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocalMachineTest {

    @Test
    void quotesEachWordForAShell() {
        assertThat(LocalMachine.quoted(List.of("java", "a b", "it's")))
                .isEqualTo("'java' 'a b' 'it'\\''s'");
    }

    @Test
    void refusesAWordThatWouldEndACommandOfRpmemCmd() {
        assertThatThrownBy(() -> LocalMachine.quoted(List.of("java", "-Da=(b|c)")))
                .hasMessageContaining("a bar ends a command of RPMEM_CMD");
    }

    /** The demo starts agents with the flags that it was started with itself. */
    @Test
    void theFlagsOfTheLauncherCanBePassedOn() throws IOException {
        try (InputStream flags = LocalMachine.class.getResourceAsStream("/jvm.flags")) {
            assertThat(new String(flags.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("-Dpicocli.converters.excludes=")
                    .doesNotContain("|");
        }
    }
}
