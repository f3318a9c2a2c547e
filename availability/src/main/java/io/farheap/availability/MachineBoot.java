package io.farheap.availability;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a process runs: this boot of this machine, and which of its processes see each other. A
 * process number says something only there. A machine that is a copy of another one has that one's
 * names and files, but never its boot: Linux draws a new one at each start.
 *
 * <pre>
 *   9f1c2ed0-…-7d1b/4026531836       the boot, and the process namespace: a container has its own
 * </pre>
 */
final class MachineBoot {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path NAMESPACE = Path.of("/proc/self/ns/pid");

    /** Empty where the system does not tell: nobody knows then which processes have ended. */
    static final String HERE = read();

    private MachineBoot() {}

    private static String read() {
        try {
            String boot = Files.readString(BOOT).strip();
            String namespace = Files.readSymbolicLink(NAMESPACE).toString();
            return boot + "/" + namespace.replaceAll("[^0-9]", "");
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /** Whether both are known, and are not of one boot of one machine. */
    static boolean differ(String one, String other) {
        return !one.isEmpty() && !other.isEmpty() && !bootOf(one).equals(bootOf(other));
    }

    static String bootOf(String machine) {
        int end = machine.indexOf('/');
        return end < 0 ? machine : machine.substring(0, end);
    }
}
