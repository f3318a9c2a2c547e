package io.farheap.it.support;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * The real ssh between hosts of a {@link Network}: each has a server, which runs commands in the
 * directory of the machine of the same name. The servers end with the network.
 */
public final class SshServers {
    private static final String SERVER = "/usr/sbin/sshd";

    private SshServers() {}

    /** Skips the calling test where ssh or its server is not installed. */
    public static void require() {
        assumeTrue(
                Files.isExecutable(Path.of(SERVER)),
                "sshd is not installed (Debian: apt-get install openssh-server)");
    }

    /** From now on the programs on these hosts reach agents by ssh. */
    public static void start(Network network, Machines machines, List<String> hosts)
            throws IOException {
        Path files = Files.createDirectory(machines.here().resolve("ssh"));
        Path key = files.resolve("key");
        Ran unused =
                Ran.of(
                                new ProcessBuilder(
                                        List.of(
                                                "ssh-keygen",
                                                "-q",
                                                "-t",
                                                "ed25519",
                                                "-N",
                                                "",
                                                "-f",
                                                key.toString())))
                        .succeeded();
        for (String host : hosts) {
            Path settings = files.resolve(host + ".conf");
            Files.writeString(
                    settings,
                    """
                    HostKey %1$s
                    AuthorizedKeysFile %1$s.pub
                    StrictModes no
                    PermitRootLogin yes
                    PidFile none
                    MaxStartups 100
                    ForceCommand cd %2$s && eval "$SSH_ORIGINAL_COMMAND"
                    """
                            .formatted(key, machines.machine(host)));
            ProcessBuilder server =
                    new ProcessBuilder(
                            "sh",
                            "-c",
                            "mkdir /run/sshd && exec %s -D -f %s -E %s"
                                    .formatted(SERVER, settings, files.resolve(host + ".log")));
            server.redirectError(ProcessBuilder.Redirect.INHERIT);
            Process unusedServer = network.on(host, server).start();
        }
        Path client = files.resolve("ssh");
        Files.writeString(
                client,
                """
                #!/bin/sh
                exec ssh -F %1$s/client.conf "$@"
                """
                        .formatted(files));
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwx------"));
        Files.writeString(
                files.resolve("client.conf"),
                """
                IdentityFile %1$s
                IdentitiesOnly yes
                StrictHostKeyChecking no
                UserKnownHostsFile /dev/null
                LogLevel ERROR
                """
                        .formatted(key));
        machines.set("RPMEM_SSH", client.toString());
    }
}
