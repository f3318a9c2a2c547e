package io.farheap.memory;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What a person is told of an errno: the system's text, and what to do. */
public final class SystemError {
    private static final int EPERM = 1;
    private static final int ENOMEM = 12;
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;
    private static final int ENOSPC = 28;
    private static final int EROFS = 30;
    private static final int ELOOP = 40;
    private static final int EDQUOT = 122;

    private SystemError() {}

    /**
     * Such as "No space left on device; make room on its file system".
     *
     * @param result what a call of {@link SystemCalls} answered: negative
     */
    static String of(long result) {
        int errno = Math.toIntExact(-result);
        return text(errno) + "; " + advice(errno);
    }

    /** The same of what Java throws, whose message may be the path alone. */
    public static String of(IOException failure) {
        if (failure instanceof NotDirectoryException) {
            return "Not a directory; name one";
        }
        if (failure instanceof AccessDeniedException || failure instanceof NoSuchFileException) {
            return of(PortableErrors.of(failure));
        }
        return reason(failure) + "; mend that and try again";
    }

    /** What Java was told, without the path. */
    public static String reason(IOException failure) {
        return failure instanceof FileSystemException file && file.getReason() != null
                ? file.getReason()
                : String.valueOf(failure.getMessage());
    }

    /** The system's text for an errno, such as "No space left on device". */
    public static String text(int errno) {
        return PortablePersistence.isUsed() ? PortableErrors.text(errno) : LibC.text(errno);
    }

    private static String advice(int errno) {
        return switch (errno) {
            case LibC.EIO -> "look at the medium and at the kernel's log (dmesg)";
            case ENOSPC, EDQUOT -> "make room on its file system";
            case EPERM, LibC.EACCES -> "give this user the permission, or take the user who has it";
            case LibC.ENOENT -> "look whether its directory is mounted and the path is right";
            case ENOMEM ->
                    "raise the limits of address space and mappings (ulimit -v,"
                            + " vm.max_map_count)";
            case EMFILE, ENFILE -> "raise the limit of open files (ulimit -n)";
            case EROFS -> "mount its file system for writing";
            case ELOOP ->
                    "a symbolic link stands in the place of the file: put what it leads to there,"
                            + " or move the link away if nobody needs that";
            default -> "mend that and try again";
        };
    }
}
