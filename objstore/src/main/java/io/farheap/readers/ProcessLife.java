package io.farheap.readers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;

/** Which process a pid is, so that its successor by the same number is not taken for it. */
final class ProcessLife {
    /** Nobody could tell. */
    static final long UNKNOWN = 0;

    /** Places behind a process's name (proc(5)). */
    private static final int STATE = 3 - 3;

    private static final int START = 22 - 3;

    /** Another one after each start of the machine (random(4)). */
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    private static final long THIS_BOOT = thisBoot();

    private ProcessLife() {}

    /** When this process began, in clock ticks since the machine's. */
    static long ownStart() {
        try {
            return Long.parseLong(stat(ProcessHandle.current().pid())[START]);
        } catch (IOException | RuntimeException e) {
            return UNKNOWN;
        }
    }

    /** Which start of the machine this process runs after; {@link #UNKNOWN}. */
    static long boot() {
        return THIS_BOOT;
    }

    private static long thisBoot() {
        try {
            UUID id = UUID.fromString(Files.readString(BOOT, StandardCharsets.US_ASCII).strip());
            return id.getMostSignificantBits() ^ id.getLeastSignificantBits();
        } catch (IOException | RuntimeException e) {
            return UNKNOWN;
        }
    }

    /**
     * Whether what a process of that boot has stored may be of one that runs now: pids, starts and
     * CLOCK_MONOTONIC begin anew with each.
     *
     * @param boot {@link #UNKNOWN}: any
     */
    static boolean isThisBoot(long boot) {
        return boot == UNKNOWN || THIS_BOOT == UNKNOWN || boot == THIS_BOOT;
    }

    /**
     * Whether that process is there. One that is killed and not yet waited for is not: it has no
     * memory any more.
     *
     * @param start {@link #UNKNOWN}: any process with that pid
     */
    static boolean isAlive(long pid, long start) {
        try {
            String[] words = stat(pid);
            boolean over = words[STATE].equals("Z") || words[STATE].equals("X");
            return !over && (start == UNKNOWN || Long.parseLong(words[START]) == start);
        } catch (NoSuchFileException e) {
            return false;
        } catch (IOException | RuntimeException e) {
            return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
        }
    }

    private static String[] stat(long pid) throws IOException {
        Path file = Path.of("/proc", Long.toString(pid), "stat");
        String line = Files.readString(file, StandardCharsets.ISO_8859_1);
        return line.substring(line.lastIndexOf(')') + 2).split(" ");
    }
}
