package io.farheap.agent.base;

import io.farheap.replication.control.Reply.Code;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The one directory whose poolset files initiators may name. A name that is absolute, or that leads
 * out of it by {@code ..} or by links, is refused whatever it leads to.
 */
public final class PoolsetDirectory {
    /**
     * Larger than any poolset file that means something, and smaller than any part: what initiators
     * write into their replicas can't be named as a poolset file.
     */
    static final long MAX_FILE_BYTES = 1 << 20;

    private final Path directory;

    /**
     * Looks at nothing yet.
     *
     * @param directory links in its own path are followed
     */
    public PoolsetDirectory(Path directory) {
        this.directory = directory;
    }

    /**
     * The file of that name: a regular file inside the directory, and small.
     *
     * @param name as in the initiator's poolset file, relative
     * @throws Refusal BAD_NAME, NOT_FOUND or ACCESS
     */
    public Path resolve(String name) {
        Path relative = relative(name);
        try {
            Path root = directory.toRealPath();
            // Without links first: whether files outside exist is nobody's business.
            if (!root.resolve(relative).normalize().startsWith(root)) {
                throw outside(name);
            }
            Path file = root.resolve(relative).toRealPath();
            if (!file.startsWith(root)) {
                throw outside(name);
            }
            if (!Files.isRegularFile(file)) {
                throw new Refusal(
                        Code.BAD_NAME,
                        "The poolset \"" + name + "\" on the target is no regular file.",
                        "Name a poolset file inside the target's poolset directory.");
            }
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw noPoolset(name);
            }
            return file;
        } catch (NoSuchFileException e) {
            throw new Refusal(
                    Code.NOT_FOUND,
                    "There is no poolset \"" + name + "\" in the target's poolset directory.",
                    "Mount the file system that it is on, or, where there never was one, write a"
                            + " poolset file of that name into "
                            + directory
                            + " on the target.",
                    e);
        } catch (AccessDeniedException e) {
            throw new Refusal(
                    Code.ACCESS,
                    "The target forbids access to the poolset \"" + name + "\".",
                    "Give the agent's user the right to read it.",
                    e);
        } catch (IOException e) {
            throw new Refusal(
                    Code.BAD_NAME,
                    "The poolset \"" + name + "\" can't be found on the target: " + e.getMessage(),
                    "Name a poolset file inside the target's poolset directory.",
                    e);
        }
    }

    /** What is there is none of an initiator's business. */
    public static Refusal noPoolset(String name) {
        return new Refusal(
                Code.BAD_POOLSET,
                "The file \"" + name + "\" on the target is no poolset file.",
                "Write one there that names the replica's parts, and name that.");
    }

    private static Path relative(String name) {
        try {
            Path relative = Path.of(name);
            if (!name.isEmpty() && !relative.isAbsolute()) {
                return relative;
            }
        } catch (InvalidPathException e) {
            throw new Refusal(
                    Code.BAD_NAME,
                    "The poolset name holds a character that no file name has.",
                    "Name a poolset file inside the target's poolset directory.",
                    e);
        }
        throw new Refusal(
                Code.BAD_NAME,
                "The poolset name \"" + name + "\" is not a relative path.",
                "Name a poolset file relative to the target's poolset directory.");
    }

    private static Refusal outside(String name) {
        return new Refusal(
                Code.BAD_NAME,
                "The poolset name \"" + name + "\" leads out of the target's poolset directory.",
                "Name a poolset file inside the target's poolset directory.");
    }
}
