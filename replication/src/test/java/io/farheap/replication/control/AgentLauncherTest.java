package io.farheap.replication.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class AgentLauncherTest {
    private static final ControlTimes TIMES =
            new ControlTimes(Duration.ofSeconds(10), Duration.ofSeconds(10), Duration.ofSeconds(1));

    @TempDir private Path directory;

    @Test
    void theShellIsRunAsLibrpmemRunsIt() {
        AgentLauncher launcher = new AgentLauncher("ssh", "farheap agent --config x");
        assertThat(launcher.command(new RemoteReplica("ada", "target", 0, "b.set")))
                .containsExactly(
                        "ssh", "-T", "-oBatchMode=yes", "ada@target", "farheap agent --config x");
        assertThat(launcher.command(new RemoteReplica(null, "fe80::1", 2222, "b.set")))
                .containsExactly(
                        "ssh",
                        "-p",
                        "2222",
                        "-T",
                        "-oBatchMode=yes",
                        "fe80::1",
                        "farheap agent --config x");
    }

    @Test
    void aTunnelRunsNoCommandAndEndsWhenItCannotForward() {
        assertThat(
                        new AgentLauncher("ssh", "farheap agent")
                                .tunnelCommand(
                                        new RemoteReplica("ada", "target", 0, "b.set"),
                                        Path.of("/tmp/farheap-1/data"),
                                        "::1",
                                        5000))
                .containsExactly(
                        "ssh",
                        "-T",
                        "-oBatchMode=yes",
                        "-N",
                        "-oExitOnForwardFailure=yes",
                        "-L",
                        "/tmp/farheap-1/data:[::1]:5000",
                        "ada@target");
    }

    @Test
    void whatTheCommandSaysOnStandardOutputIsTheGreeting() throws IOException {
        ControlTransport process =
                new AgentLauncher(
                                shell(
                                        "echo '{\"type\":\"greeting\",\"protocol\":"
                                                + "\"farheap-control\",\"version\":"
                                                + Reply.VERSION
                                                + ",\"pid\":1,"
                                                + "\"host\":\"'\"$4\"'\"}'; cat >&2"),
                                "the command")
                        .launch(replica());
        try (process) {
            ControlClient client = ControlClient.connect(process, replica(), TIMES);
            client.abandon();
        }
    }

    @Test
    void whatItSaysOnStandardErrorBeforeItDiesIsTheMessage() throws IOException {
        AgentLauncher launcher =
                new AgentLauncher(
                        shell("echo 'Permission denied (publickey).' >&2; exit 255"), "agent");
        assertThatThrownBy(
                        () -> ControlClient.connect(launcher.launch(replica()), replica(), TIMES))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("Permission denied (publickey).")
                .hasMessageContaining("status 255");
    }

    @Test
    void ofMuchStandardErrorTheEndIsKept() throws IOException {
        AgentLauncher launcher =
                new AgentLauncher(shell("seq 1 20000 >&2; echo the reason >&2; exit 3"), "agent");
        assertThatThrownBy(
                        () -> ControlClient.connect(launcher.launch(replica()), replica(), TIMES))
                .hasMessageContaining("19999 20000 the reason (")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(5000));
    }

    @Test
    void aShellThatIsNotThereIsNamed() {
        AgentLauncher launcher = new AgentLauncher(directory.resolve("no-ssh").toString(), "agent");
        assertThatThrownBy(() -> launcher.launch(replica()))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e ->
                                assertThat(e.category())
                                        .isEqualTo(FarheapException.Category.ENVIRONMENT))
                .hasMessageContaining("no-ssh")
                .hasMessageContaining("RPMEM_SSH");
    }

    private static RemoteReplica replica() {
        return new RemoteReplica(null, "target", 0, "bank.set");
    }

    private String shell(String body) throws IOException {
        Path script = directory.resolve("fake-ssh");
        Files.writeString(script, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script.toString();
    }
}
