package io.farheap.memory;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Linux's error numbers for what Java throws, and their texts where there is no C library. */
final class PortableErrors {
    static final int EBADF = 9;
    static final int ENOMEM = 12;
    static final int ENODEV = 19;
    static final int EISDIR = 21;
    static final int ENOSPC = 28;
    static final int ENOSYS = 38;
    static final int ELOOP = 40;
    static final int EOPNOTSUPP = 95;
    static final int ESTALE = 116;

    private static final Logger LOG = LoggerFactory.getLogger(PortableErrors.class);

    private static final Map<Integer, String> TEXTS =
            Map.ofEntries(
                    Map.entry(1, "Operation not permitted"),
                    Map.entry(LibC.ENOENT, "No such file or directory"),
                    Map.entry(LibC.EINTR, "Interrupted system call"),
                    Map.entry(LibC.EIO, "Input/output error"),
                    Map.entry(EBADF, "Bad file descriptor"),
                    Map.entry(LibC.EAGAIN, "Resource temporarily unavailable"),
                    Map.entry(ENOMEM, "Cannot allocate memory"),
                    Map.entry(LibC.EACCES, "Permission denied"),
                    Map.entry(LibC.EEXIST, "File exists"),
                    Map.entry(ENODEV, "No such device"),
                    Map.entry(20, "Not a directory"),
                    Map.entry(EISDIR, "Is a directory"),
                    Map.entry(LibC.EINVAL, "Invalid argument"),
                    Map.entry(24, "Too many open files"),
                    Map.entry(27, "File too large"),
                    Map.entry(ENOSPC, "No space left on device"),
                    Map.entry(30, "Read-only file system"),
                    Map.entry(ENOSYS, "Function not implemented"),
                    Map.entry(ELOOP, "Too many levels of symbolic links"),
                    Map.entry(EOPNOTSUPP, "Operation not supported"),
                    Map.entry(ESTALE, "Stale file handle"),
                    Map.entry(122, "Disk quota exceeded"));

    /** What Windows says for those that its users meet. */
    private static final Map<String, Integer> OF_WINDOWS =
            Map.of("there is not enough space on the disk", ENOSPC);

    private PortableErrors() {}

    static String text(int errno) {
        return TEXTS.getOrDefault(errno, "Unknown error " + errno);
    }

    /** The negative number. What has no better one is EIO, and the log has what Java said. */
    static int of(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return -LibC.ENOENT;
        }
        if (failure instanceof FileAlreadyExistsException) {
            return -LibC.EEXIST;
        }
        if (failure instanceof AccessDeniedException) {
            return -LibC.EACCES;
        }
        if (failure instanceof ClosedChannelException) {
            return -EBADF;
        }
        int known = ofText(SystemError.reason(failure).toLowerCase(Locale.ROOT));
        if (known == 0) {
            LOG.warn("taken for an input/output error", failure);
            return -LibC.EIO;
        }
        return -known;
    }

    private static int ofText(String said) {
        for (Map.Entry<Integer, String> known : TEXTS.entrySet()) {
            if (said.contains(known.getValue().toLowerCase(Locale.ROOT))) {
                return known.getKey();
            }
        }
        return OF_WINDOWS.entrySet().stream()
                .filter(known -> said.contains(known.getKey()))
                .mapToInt(Map.Entry::getValue)
                .findFirst()
                .orElse(0);
    }
}
