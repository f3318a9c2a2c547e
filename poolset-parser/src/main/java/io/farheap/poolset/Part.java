package io.farheap.poolset;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A part line: {@code size path}.
 *
 * @param path absolute path of the part
 * @param size bytes; of a directory the address space to reserve, of a device with {@code AUTO}
 *     what the device said when the file was parsed
 * @param autoSize whether the line says {@code AUTO} in place of a size
 * @param kind what the path was when the file was parsed
 */
public record Part(Path path, long size, boolean autoSize, Kind kind) {
    /** What a part path names. */
    public enum Kind {
        /** A file, existing or to be created. */
        FILE,
        /** An existing directory, to be filled with part files. */
        DIRECTORY,
        /** An existing Device DAX character device. */
        DEVICE_DAX
    }

    public Part {
        Objects.requireNonNull(path);
        Objects.requireNonNull(kind);
        if (size <= 0) {
            throw new IllegalArgumentException("part size " + size + " is not positive");
        }
        if (!path.isAbsolute()) {
            throw new IllegalArgumentException("part path " + path + " is not absolute");
        }
        if (autoSize && kind != Kind.DEVICE_DAX) {
            throw new IllegalArgumentException("only a Device DAX has a size of its own: " + path);
        }
    }

    /** A part file of {@code size} bytes. */
    public static Part file(Path path, long size) {
        return new Part(path, size, false, Kind.FILE);
    }
}
