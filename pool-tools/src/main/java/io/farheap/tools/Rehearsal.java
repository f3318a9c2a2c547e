package io.farheap.tools;

import io.farheap.tools.demo.LocalMachine;
import io.farheap.tools.report.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs what people type most, all in one process: from it a distribution's ahead-of-time caches are
 * made. Not a command.
 *
 * <p>Java loads each class of a cache at its start, wanted or not: with a directory that has {@code
 * plain} and {@code pool.set} this only runs {@code info} of them, without options.
 */
public final class Rehearsal {
    private static final List<String> COMMANDS =
            List.of(
                    "--help",
                    "--version",
                    "help info",
                    "info --nonsense",
                    "create -l bank @/pool.set",
                    "create -s 8M @/plain",
                    "info @/plain",
                    "info -s -H -Z -C -l @/pool.set",
                    "info --json @/pool.set",
                    "check @/pool.set",
                    "check --json @/plain",
                    "poolset @/pool.set",
                    "feature -l @/plain",
                    "status @/pool.set",
                    "verify @/pool.set",
                    "backup @/pool.set @/kept.farheap-backup",
                    "backup --verify @/kept.farheap-backup",
                    "restore @/kept.farheap-backup @/restored",
                    "sync -d @/pool.set",
                    "transform -d @/pool.set @/alone.set",
                    "rm -f -y @/plain",
                    "info @/plain");

    private static final List<String> INFO =
            List.of("info @/plain", "info @/pool.set", "info @/none");

    private Rehearsal() {}

    public static void main(String[] args) throws IOException {
        if (args.length == 1) {
            rehearse(INFO, Path.of(args[0]));
            return;
        }
        Path directory = Files.createTempDirectory("farheap-rehearsal");
        try {
            String lines = "PMEMPOOLSET\n8M @/a\n".replace("@", directory.toString());
            Files.writeString(directory.resolve("alone.set"), lines);
            String both = lines + "REPLICA\n8M @/b\n".replace("@", directory.toString());
            Files.writeString(directory.resolve("pool.set"), both);
            Files.writeString(directory.resolve("remote.set"), lines + "REPLICA far far.set\n");
            rehearse(COMMANDS, directory);
            Files.delete(directory.resolve("b"));
            require("sync " + directory.resolve("pool.set"));
            String shell = System.getenv("RPMEM_SSH");
            if (shell != null) {
                rehearseReplica(directory, Path.of(shell));
            }
        } finally {
            LocalMachine.delete(directory);
        }
    }

    private static void rehearse(List<String> commands, Path directory) {
        for (String command : commands) {
            int unused =
                    run(
                            command.replace("@", directory.toString()),
                            OutputStream.nullOutputStream());
        }
    }

    /**
     * What has a replica behind an agent, both sides of it: the agent is this process, too, one
     * that is started for it, and one that listens.
     *
     * @param shell where the remote shell is to be that reaches it
     */
    private static void rehearseReplica(Path directory, Path shell) throws IOException {
        Path target = Files.createDirectory(directory.resolve("target"));
        Files.writeString(target.resolve("far.set"), "PMEMPOOLSET\n8M %s/part\n".formatted(target));
        Path set = directory.resolve("far.set");
        Files.writeString(
                set, "PMEMPOOLSET\n8M %s/far\nREPLICA localhost far.set\n".formatted(directory));
        RehearsalAgent.start(directory, target, shell);
        require("create " + set);
        restoreReplica(target, set);
        require("status " + set);
        require("verify " + set);
        RehearsalService service = RehearsalService.start(directory, target);
        for (String data : List.of("direct", "plain")) {
            Files.writeString(
                    set.resolveSibling("far.set.replication"),
                    service.settings() + "data = " + data + "\n");
            restoreReplica(target, set);
        }
        require("status " + set);
    }

    private static void restoreReplica(Path target, Path set) throws IOException {
        Files.delete(target.resolve("part"));
        Files.delete(target.resolve("part.journal"));
        require("sync " + set);
    }

    private static void require(String command) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int status = run(command, said);
        if (status != 0) {
            throw new IllegalStateException(command + " ended with status " + status + ": " + said);
        }
    }

    private static int run(String command, OutputStream said) {
        StandardOutput output = new StandardOutput(said);
        PrintWriter both = output.writer();
        boolean colours = Terminal.showsColours();
        int ended = Main.run(both, both, colours, command.split(" "));
        both.flush();
        return output.exitCode(ended, both);
    }
}
