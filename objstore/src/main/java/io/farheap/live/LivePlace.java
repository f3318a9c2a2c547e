package io.farheap.live;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/**
 * Where a process listens that has pools open: a socket in a directory that only its user may
 * enter, {@code /tmp/.farheap-UID/PID-NAMESPACE}. Not beside the pool: nothing is left there when
 * the process is killed, and no path is too long for a socket.
 */
final class LivePlace {
    private static final Path TMP = Path.of("/tmp");
    private static final String PRIVATE = "rwx------";

    private LivePlace() {}

    /**
     * This process's.
     *
     * @throws IOException where the directory can't be made, or is not its own
     */
    static Path ofThisProcess() throws IOException {
        Path self = Path.of("/proc/self");
        Path directory = TMP.resolve(directoryName(self));
        try {
            Path unused =
                    Files.createDirectory(
                            directory,
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString(PRIVATE)));
        } catch (FileAlreadyExistsException e) {
            requireOwn(directory, self);
        }
        return directory.resolve(fileName(self));
    }

    private static void requireOwn(Path directory, Path self) throws IOException {
        Map<String, Object> found =
                Files.readAttributes(
                        directory, "unix:uid,isDirectory,permissions", LinkOption.NOFOLLOW_LINKS);
        boolean own =
                found.get("isDirectory").equals(true)
                        && found.get("uid").equals(Files.getAttribute(self, "unix:uid"))
                        && found.get("permissions")
                                .equals(PosixFilePermissions.fromString(PRIVATE));
        if (!own) {
            throw new IOException(directory + " is not a directory of this user alone");
        }
    }

    /**
     * Where another process's may be, as it sees the file system and as this one does.
     *
     * @throws IOException where the process is gone, or another user's
     */
    static List<Path> ofProcess(long pid) throws IOException {
        Path process = Path.of("/proc", Long.toString(pid));
        String name = directoryName(process) + "/" + fileName(process);
        return List.of(process.resolve("root/tmp").resolve(name), TMP.resolve(name));
    }

    private static String directoryName(Path process) throws IOException {
        return ".farheap-" + Files.getAttribute(process, "unix:uid");
    }

    /** Containers number their processes each by itself, and may share a directory. */
    private static String fileName(Path process) throws IOException {
        String namespace =
                Files.readSymbolicLink(process.resolve("ns/pid")).toString().replaceAll("\\D", "");
        String numbers =
                Files.readAllLines(process.resolve("status")).stream()
                        .filter(line -> line.startsWith("NSpid:"))
                        .findFirst()
                        .orElseThrow(() -> new IOException(process + " has no number"));
        return numbers.substring(numbers.lastIndexOf('\t') + 1) + "-" + namespace;
    }
}
