package io.farheap.tools;

import io.farheap.agent.Agent;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Agents inside of the rehearsing process, reached by a shell that passes its streams on. */
final class RehearsalAgent {
    private RehearsalAgent() {}

    /**
     * Serves one initiator after the other as long as the process runs.
     *
     * @param directory for the pipes
     * @param target the directory of poolsets
     * @param shell the file to make the shell in
     */
    static void start(Path directory, Path target, Path shell) throws IOException {
        Path in = pipe(directory.resolve("in"));
        Path out = pipe(directory.resolve("out"));
        Files.writeString(
                shell,
                """
                #!/bin/sh
                exec 3<&0
                cat <&3 >%s &
                exec cat %s
                """
                        .formatted(in, out));
        Files.setPosixFilePermissions(shell, PosixFilePermissions.fromString("rwx------"));
        String[] options = {
            "--poolset-dir", target.toString(), "--log-file", target.resolve("log").toString()
        };
        Thread.ofPlatform().daemon().start(() -> serve(in, out, options));
    }

    private static Path pipe(Path path) throws IOException {
        Process made = new ProcessBuilder("mkfifo", path.toString()).inheritIO().start();
        try {
            if (made.waitFor() != 0) {
                throw new IOException("mkfifo " + path + " failed");
            }
            return path;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private static void serve(Path in, Path out, String[] options) {
        try {
            while (true) {
                try (FileInputStream heard = new FileInputStream(in.toFile());
                        FileOutputStream said = new FileOutputStream(out.toFile())) {
                    int unused = Agent.run(options, heard, said, System.err);
                }
            }
        } catch (IOException e) {
            System.err.println("the agent can't be reached any more: " + e.getMessage());
        }
    }
}
