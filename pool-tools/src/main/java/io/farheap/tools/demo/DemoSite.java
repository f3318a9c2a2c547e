package io.farheap.tools.demo;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Two directories that stand for two machines, and processes on them: a script stands in for ssh
 * and runs the agent's command here.
 */
final class DemoSite {
    private static final String SSH =
            """
            #!/bin/sh
            # Stands in for ssh: drops its options and the host, runs the command on this machine.
            unset SSH_CONNECTION
            while [ $# -gt 1 ]; do shift; done
            exec sh -c "$1"
            """;

    private final Path directory;

    private DemoSite(Path directory) {
        this.directory = directory;
    }

    /** Sets both machines up in an empty directory. */
    static DemoSite in(Path directory) throws IOException {
        DemoSite site = new DemoSite(directory.toAbsolutePath());
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
        Files.writeString(site.ssh(), SSH);
        Files.setPosixFilePermissions(site.ssh(), PosixFilePermissions.fromString("rwx------"));
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

    private Path ssh() {
        return directory.resolve("local-ssh");
    }

    /** A process that runs this very program with other arguments, on the machine "here". */
    ProcessBuilder farheap(String... arguments) {
        List<String> command = new ArrayList<>(thisProgram());
        command.addAll(Arrays.asList(arguments));
        ProcessBuilder process = new ProcessBuilder(command);
        process.redirectError(ProcessBuilder.Redirect.INHERIT);
        Map<String, String> environment = process.environment();
        environment.put("RPMEM_SSH", ssh().toString());
        environment.put("RPMEM_CMD", agentCommand());
        return process;
    }

    private String agentCommand() {
        List<String> command = new ArrayList<>(thisProgram());
        command.addAll(List.of("agent", "--config", agentConfiguration().toString()));
        return command.stream().map(DemoSite::quoted).collect(Collectors.joining(" "));
    }

    private static List<String> thisProgram() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--") || flag.startsWith("-XX:+Use")) {
                command.add(flag);
            }
        }
        String classPath =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(entry -> Path.of(entry).toAbsolutePath().toString())
                        .collect(Collectors.joining(File.pathSeparator));
        command.addAll(List.of("-cp", classPath, "io.farheap.tools.Main"));
        return command;
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** Removes everything. */
    void delete() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder())
                    .forEach(
                            file -> {
                                try {
                                    Files.delete(file);
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            });
        }
    }
}
