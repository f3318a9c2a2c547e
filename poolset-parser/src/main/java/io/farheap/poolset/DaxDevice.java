package io.farheap.poolset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A Device DAX: persistent memory as a character device, without a file system. It can only be
 * mapped, in multiples of its alignment; what else is to be known of it is in sysfs, in the folder
 * {@code /sys/dev/char/MAJOR:MINOR}.
 */
public final class DaxDevice {
    /** Where sysfs has the character devices by their numbers. */
    public static final Path CHARACTER_DEVICES = Path.of("/sys/dev/char");

    private static final int MINOR_LOW_BITS = 8;

    private final Path path;
    private final Path folder;

    private DaxDevice(Path path, Path folder) {
        this.path = path;
        this.folder = folder;
    }

    /**
     * Recognised as libpmemobj does it: its folder in sysfs links to its subsystem.
     *
     * @param characterDevices {@link #CHARACTER_DEVICES}
     * @param path exists; links are followed
     * @return empty where that is something else
     */
    public static Optional<DaxDevice> at(Path characterDevices, Path path) throws IOException {
        if (!Files.isDirectory(characterDevices)) {
            return Optional.empty(); // no Linux
        }
        long rdev = ((Number) Files.getAttribute(path, "unix:rdev")).longValue();
        long major = (rdev >>> MINOR_LOW_BITS) & 0xFFF;
        long minor = (rdev & 0xFF) | ((rdev >>> 12) & 0xFFF00);
        Path folder = characterDevices.resolve(major + ":" + minor);
        Path subsystem = folder.resolve("subsystem");
        return Files.exists(subsystem)
                        && subsystem.toRealPath().getFileName().toString().equals("dax")
                ? Optional.of(new DaxDevice(path, folder))
                : Optional.empty();
    }

    /** As it was asked for. */
    public Path path() {
        return path;
    }

    /** The device's place in the tree of all devices. */
    public Path folder() throws IOException {
        return folder.toRealPath();
    }

    /** Its bytes. */
    public long size() throws IOException {
        return number(folder.resolve("size"));
    }

    /** In bytes. */
    public long alignment() throws IOException {
        Path file = folder.resolve("align");
        // before Linux 5.1 it was the device's parent that had it
        return number(Files.exists(file) ? file : folder.resolve("device/align"));
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
