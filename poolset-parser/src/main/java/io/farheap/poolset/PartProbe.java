package io.farheap.poolset;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What exists at the paths of part lines. */
class PartProbe {
    private final Path devices;

    PartProbe() {
        this(DaxDevice.CHARACTER_DEVICES);
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
        return DaxDevice.at(devices, path).isPresent() ? Part.Kind.DEVICE_DAX : Part.Kind.FILE;
    }

    /** Bytes of a Device DAX. */
    long size(Path path) throws IOException {
        return device(path).size();
    }

    /** Alignment of a Device DAX in bytes. */
    long alignment(Path path) throws IOException {
        return device(path).alignment();
    }

    /** Two names of one directory give the same. */
    Path realPath(Path path) throws IOException {
        return path.toRealPath();
    }

    private DaxDevice device(Path path) throws IOException {
        return DaxDevice.at(devices, path)
                .orElseThrow(() -> new IOException(path + " is no Device DAX any more"));
    }
}
