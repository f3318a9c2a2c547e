package io.farheap.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What memory the machine has, or the container that this process is in. */
final class MachineMemory {
    private static final Path MACHINE = Path.of("/proc/meminfo");
    private static final Path CONTAINER = Path.of("/sys/fs/cgroup/memory.max");
    private static final Pattern MACHINE_KIB = Pattern.compile("MemTotal: +([0-9]{1,15}) kB");
    private static final Pattern CONTAINER_BYTES = Pattern.compile("([0-9]{1,18})\\s*");
    private static final long WHERE_NOBODY_SAYS = 4L << 30;

    private MachineMemory() {}

    static long bytes() {
        long machine = number(MACHINE, MACHINE_KIB) << 10;
        long container = number(CONTAINER, CONTAINER_BYTES);
        long least = Math.min(positive(machine), positive(container));
        return least == Long.MAX_VALUE ? WHERE_NOBODY_SAYS : least;
    }

    private static long positive(long bytes) {
        return bytes > 0 ? bytes : Long.MAX_VALUE;
    }

    /** 0: the file is not there, or says something else. */
    private static long number(Path file, Pattern which) {
        try {
            Matcher found = which.matcher(Files.readString(file));
            return found.lookingAt() ? Long.parseLong(found.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }
}
