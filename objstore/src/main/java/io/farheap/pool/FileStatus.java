package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.memory.SystemError;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * What is at a path, links followed. {@link Files#exists} takes a file that this user may not see
 * for one that is missing; here that is a failure.
 *
 * @param exists whether anything is there
 * @param isRegular whether it is a regular file
 * @param size its bytes
 */
public record FileStatus(boolean exists, boolean isRegular, long size) {

    /**
     * Looks at {@code path}.
     *
     * @throws FarheapException ENVIRONMENT where it can't be told what is there
     */
    public static FileStatus of(Path path) {
        try {
            BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
            return new FileStatus(true, found.isRegularFile(), found.size());
        } catch (NoSuchFileException e) {
            return new FileStatus(false, false, 0);
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /** That {@code path} can't be read, and why. */
    public static FarheapException unreadable(Path path, IOException cause) {
        return FarheapException.environment(
                cause, "%s cannot be read: %s; mend that and run this again", path, reason(cause));
    }

    /** That a directory can't be listed, and why. */
    public static FarheapException unreadableDirectory(Path directory, IOException cause) {
        return FarheapException.environment(
                cause, "cannot read the directory %s: %s", directory, SystemError.of(cause));
    }

    /** In words; the message of some exceptions is the path alone. */
    static String reason(IOException cause) {
        return cause instanceof AccessDeniedException
                ? "permission denied"
                : SystemError.reason(cause);
    }
}
