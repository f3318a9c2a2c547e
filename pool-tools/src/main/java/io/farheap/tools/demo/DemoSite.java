package io.farheap.tools.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Two directories that stand for two machines, and processes on them: a script stands in for ssh
 * and runs the agent's command here.
 */
final class DemoSite {
    private static final String MAIN = "io.farheap.tools.Main";

    private final Path directory;

    private final Path ssh;

    private DemoSite(Path directory, Path ssh) {
        this.directory = directory;
        this.ssh = ssh;
    }

    /** Sets both machines up in an empty directory. */
    static DemoSite in(Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath();
        DemoSite site = new DemoSite(absolute, LocalMachine.installShell(absolute));
        Files.createDirectories(site.here());
        Files.createDirectories(site.there());
        Files.writeString(
                site.set(),
                """
                PMEMPOOLSET
                # the pool on this machine, in two parts
                8M %1$s/unicode.part0
                8M %1$s/unicode.part1
                # and its copy on the other one
                REPLICA localhost unicode.set
                """
                        .formatted(site.here()));
        Files.writeString(
                site.there().resolve("unicode.set"),
                "PMEMPOOLSET\n16M " + site.there() + "/unicode.copy\n");
        Files.writeString(
                site.agentConfiguration(),
                """
                poolset-dir = %1$s
                journal-size = 4M
                log-file = %1$s/agent.log
                """
                        .formatted(site.there()));
        return site;
    }

    Path directory() {
        return directory;
    }

    /** The machine of the program. */
    Path here() {
        return directory.resolve("here");
    }

    /** The machine of the replica. */
    Path there() {
        return directory.resolve("there");
    }

    Path set() {
        return here().resolve("unicode.set");
    }

    List<Path> parts() {
        return List.of(here().resolve("unicode.part0"), here().resolve("unicode.part1"));
    }

    private Path agentConfiguration() {
        return there().resolve("agent.conf");
    }

    /** A process that runs this very program with other arguments, on the machine "here". */
    ProcessBuilder farheap(String... arguments) {
        ProcessBuilder process = new ProcessBuilder(LocalMachine.java(MAIN, arguments));
        process.redirectError(ProcessBuilder.Redirect.INHERIT);
        Map<String, String> environment = process.environment();
        environment.put("RPMEM_SSH", ssh.toString());
        environment.put("RPMEM_CMD", agentCommand());
        return process;
    }

    private String agentCommand() {
        return LocalMachine.quoted(
                LocalMachine.java(MAIN, "agent", "--config", agentConfiguration().toString()));
    }
}
