package io.farheap.poolset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What exists at the paths of part lines. Device DAX is recognised by sysfs, as libpmemobj does it:
 * {@code /sys/dev/char/MAJOR:MINOR} links to its subsystem and holds size and alignment.
 */
class PartProbe {
    private static final int MINOR_LOW_BITS = 8;

    private final Path devices;

    PartProbe() {
        this(Path.of("/sys/dev/char"));
    }

    PartProbe(Path devices) {
        this.devices = devices;
    }

    Part.Kind kindOf(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            return Part.Kind.DIRECTORY;
        }
        if (!Files.exists(path) || Files.isRegularFile(path)) {
            return Part.Kind.FILE;
        }
        Path subsystem = device(path).resolve("subsystem");
        return Files.exists(subsystem)
                        && subsystem.toRealPath().getFileName().toString().equals("dax")
                ? Part.Kind.DEVICE_DAX
                : Part.Kind.FILE;
    }

    /** Bytes of a Device DAX. */
    long size(Path path) throws IOException {
        return number(device(path).resolve("size"));
    }

    /** Alignment of a Device DAX in bytes. */
    long alignment(Path path) throws IOException {
        return number(device(path).resolve("device/align"));
    }

    /** Two names of one directory give the same. */
    Path realPath(Path path) throws IOException {
        return path.toRealPath();
    }

    private Path device(Path path) throws IOException {
        long rdev = ((Number) Files.getAttribute(path, "unix:rdev")).longValue();
        long major = (rdev >>> MINOR_LOW_BITS) & 0xFFF;
        long minor = (rdev & 0xFF) | ((rdev >>> 12) & 0xFFF00);
        return devices.resolve(major + ":" + minor);
    }

    private static long number(Path file) throws IOException {
        String text = Files.readString(file).strip();
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException(file + " holds no number but '" + text + "'", e);
        }
    }
}
