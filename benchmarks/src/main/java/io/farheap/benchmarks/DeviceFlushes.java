package io.farheap.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How often the device below a directory was told to write its cache to the medium, whoever asked
 * for it: field 16 of its {@code stat} in sysfs.
 */
final class DeviceFlushes {
    private static final int FIELD = 15;

    private final Path stat;

    private DeviceFlushes(Path stat) {
        this.stat = stat;
    }

    static DeviceFlushes below(Path directory) throws IOException {
        long device = (Long) Files.getAttribute(directory, "unix:dev");
        long major = device >> 8 & 0xfff;
        long minor = device & 0xff | device >> 12 & 0xfff00;
        return new DeviceFlushes(Path.of("/sys/dev/block/" + major + ":" + minor + "/stat"));
    }

    /** Negative: the kernel does not tell. */
    long count() {
        if (!Files.isReadable(stat)) {
            return -1;
        }
        try {
            List<String> fields = List.of(Files.readString(stat).trim().split(" +"));
            return fields.size() > FIELD ? Long.parseLong(fields.get(FIELD)) : -1;
        } catch (IOException e) {
            return -1;
        }
    }
}
