package io.farheap.tools.demo;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Lets this machine play the target: a stand-in for ssh that runs the agent's command here, and the
 * commands of processes that run this very program. For the demo, for tests and for benchmarks.
 */
public final class LocalMachine {
    private static final String SHELL =
            """
            #!/bin/sh
            # Stands in for ssh: drops its options and the host, runs the command on this machine.
            unset SSH_CONNECTION
            while [ $# -gt 1 ]; do shift; done
            exec sh -c "$1"
            """;

    private LocalMachine() {}

    /** Writes the stand-in for ssh into a directory; its path is for {@code RPMEM_SSH}. */
    public static Path installShell(Path directory) throws IOException {
        Path shell = directory.resolve("local-ssh");
        Files.writeString(shell, SHELL);
        Files.setPosixFilePermissions(shell, PosixFilePermissions.fromString("rwx------"));
        return shell;
    }

    /** The command that runs a class of this program, as this process was run. */
    public static List<String> java(String mainClass, String... arguments) {
        return java(List.of(), mainClass, arguments);
    }

    /** The same with more flags for the virtual machine. */
    public static List<String> java(List<String> flags, String mainClass, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--")
                    || flag.startsWith("-XX:+Use")
                    || flag.startsWith("-Dpicocli.")) {
                command.add(flag);
            }
        }
        String classPath =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(entry -> Path.of(entry).toAbsolutePath().toString())
                        .collect(Collectors.joining(File.pathSeparator));
        command.addAll(flags);
        command.addAll(List.of("-cp", classPath, mainClass));
        command.addAll(Arrays.asList(arguments));
        return command;
    }

    /**
     * The same for a shell, each word in quotes: for {@code RPMEM_CMD}, in which a bar ends a
     * command, quoted or not.
     */
    public static String quoted(List<String> command) {
        if (command.stream().anyMatch(word -> word.contains("|"))) {
            throw new IllegalArgumentException("a bar ends a command of RPMEM_CMD: " + command);
        }
        return command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    /** Removes a directory with all that is in it. */
    public static void delete(Path directory) throws IOException {
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(directory)) {
            paths = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.delete(path);
        }
    }
}
