package io.farheap.replication.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The name is the system's own. */
class HostNameTest {
    @Test
    void theMachineIsCalledAsTheSystemCallsIt() throws Exception {
        Process uname = new ProcessBuilder("uname", "-n").start();
        String name = new String(uname.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(HostName.here()).isEqualTo(name.strip());
    }
}
