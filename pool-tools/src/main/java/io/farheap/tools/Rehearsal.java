package io.farheap.tools;

import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs what people type most, all in one process: from it a distribution's ahead-of-time cache is
 * made. Not a command.
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
                    "sync -d @/pool.set",
                    "transform -d @/pool.set @/alone.set",
                    "rm -f -y @/plain",
                    "info @/plain");

    private Rehearsal() {}

    public static void main(String[] args) throws IOException {
        Path directory = Files.createTempDirectory("farheap-rehearsal");
        try {
            String lines = "PMEMPOOLSET\n8M @/a\n".replace("@", directory.toString());
            Files.writeString(directory.resolve("alone.set"), lines);
            String both = lines + "REPLICA\n8M @/b\n".replace("@", directory.toString());
            Files.writeString(directory.resolve("pool.set"), both);
            for (String command : COMMANDS) {
                run(command.replace("@", directory.toString()));
            }
            Files.delete(directory.resolve("b"));
            run("sync " + directory.resolve("pool.set"));
        } finally {
            LocalMachine.delete(directory);
        }
    }

    private static void run(String command) {
        StandardOutput output = new StandardOutput(OutputStream.nullOutputStream());
        PrintWriter nowhere = output.writer();
        int ended = Main.run(nowhere, nowhere, false, command.split(" "));
        int unused = output.exitCode(ended, nowhere);
    }
}
