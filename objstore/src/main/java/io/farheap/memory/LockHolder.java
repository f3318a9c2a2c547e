package io.farheap.memory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * Who has a file locked, as /proc/locks tells: "7: FLOCK ADVISORY WRITE 4711 08:01:1234 0 EOF", or
 * POSIX where the {@link PortablePersistence} is used.
 */
final class LockHolder {
    private static final Path LOCKS = Path.of("/proc/locks");

    /** What the channels of Java take. */
    static final String POSIX = "POSIX";

    private LockHolder() {}

    /** "process 4711", "this process", or "another process" where the system does not tell. */
    static String of(Path file) {
        try {
            OptionalLong pid = pid(file);
            return pid.isPresent() ? named(pid.getAsLong()) : "another process";
        } catch (IOException e) {
            return "another process (which one is not to be found out: " + e.getMessage() + ")";
        }
    }

    /**
     * The process that has the file locked; empty: none that this process can see.
     *
     * @throws IOException where the system does not tell
     */
    static OptionalLong pid(Path file) throws IOException {
        OptionalLong owner = pid(file, "FLOCK", 0);
        return owner.isPresent() ? owner : pidOfPortable(file);
    }

    /**
     * Who has the other kind of lock than this process takes. Who locks and then looks is not
     * overlooked by one who does the same.
     */
    static OptionalLong pidOfOtherKind(Path file) throws IOException {
        return PortablePersistence.isUsed() ? pid(file, "FLOCK", 0) : pidOfPortable(file);
    }

    private static OptionalLong pidOfPortable(Path file) throws IOException {
        Path beside = PortableLock.beside(file);
        OptionalLong owner = Files.exists(beside) ? pid(beside, POSIX, 0) : OptionalLong.empty();
        return owner.isPresent() ? owner : pid(file, POSIX, PortableFile.LOCKED_BYTE);
    }

    /**
     * Of one kind of lock.
     *
     * @param start the first byte that is locked
     */
    static OptionalLong pid(Path file, String kind, long start) throws IOException {
        try {
            String identity = identity(file);
            for (String line : Files.readAllLines(LOCKS, StandardCharsets.US_ASCII)) {
                List<String> words = List.of(line.trim().split("\\s+"));
                if (words.size() > 6
                        && words.get(1).equals(kind)
                        && words.get(5).equals(identity)
                        && words.get(6).equals(Long.toString(start))) {
                    return OptionalLong.of(Long.parseLong(words.get(4)));
                }
            }
            return OptionalLong.empty();
        } catch (UnsupportedOperationException | NumberFormatException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static String named(long pid) {
        if (pid == ProcessHandle.current().pid()) {
            return "this process";
        }
        return pid > 0 ? "process " + pid : "a process outside this container";
    }

    /** Device and inode as /proc/locks writes them: major:minor in hex, inode in decimal. */
    private static String identity(Path file) throws IOException {
        long device = (long) Files.getAttribute(file, "unix:dev");
        long inode = (long) Files.getAttribute(file, "unix:ino");
        long major = ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
        long minor = (device & 0xff) | ((device >>> 12) & 0xffffff00L);
        return twoHexDigits(major) + ":" + twoHexDigits(minor) + ":" + inode;
    }

    /** At least so many; without a formatter, which takes a start of a command milliseconds. */
    private static String twoHexDigits(long number) {
        String digits = Long.toHexString(number);
        return digits.length() == 1 ? "0" + digits : digits;
    }
}
