package io.farheap.agent.service;

import io.farheap.agent.log.AgentLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

/**
 * The file that an agent's metrics are in, for a collector to read whenever it likes. What can't be
 * written ends nothing: replicas are served all the same. For one thread.
 */
final class MetricsFile {
    private static final String UNFINISHED = ".farheap-unfinished";

    private final Path file;
    private final AgentLog log;
    private String told = "";

    MetricsFile(Path file, AgentLog log) {
        this.file = file;
        this.log = log;
    }

    /**
     * Replaces it as a whole, readable for everybody; a file that is there and has anything else
     * than an agent's metrics is left alone. A reason not to is told once.
     */
    void write(String text) {
        String why = "";
        try {
            if (isOwn()) {
                replace(text);
            } else {
                why = "it has no metrics of an agent, and is not replaced: name another file";
            }
        } catch (IOException e) {
            why = e.toString();
        }
        if (!why.isEmpty() && !why.equals(told)) {
            log.error("The metrics can't be written to " + file + ": " + why, null);
        } else if (why.isEmpty() && !told.isEmpty()) {
            log.notice("The metrics are written to " + file + " again.");
        }
        told = why;
    }

    private boolean isOwn() throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return true;
        }
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return false; // a device, which reads as empty, or a link to somebody's file
        }
        byte[] begin = AgentMetrics.BEGIN.getBytes(StandardCharsets.UTF_8);
        byte[] found = new byte[begin.length];
        try (InputStream old = Files.newInputStream(file)) {
            int length = old.readNBytes(found, 0, found.length);
            return length > 0 && Arrays.equals(begin, found);
        }
    }

    private void replace(String text) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + UNFINISHED);
        Files.deleteIfExists(draft); // left by an agent that was killed, or a link of somebody else
        try {
            Files.writeString(draft, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            // The collector is another user, whatever the agent's mask is.
            Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-r--r--"));
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(draft);
        }
    }
}
