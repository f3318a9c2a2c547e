package io.farheap.tools.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Whether a person looks at what the program prints. */
public final class Terminal {
    private static final int IN = 0;
    private static final int OUT = 1;
    private static final int ERR = 2;

    private Terminal() {}

    /** Whether somebody can be asked: standard input and output are a terminal. */
    public static boolean asks() {
        return isBehind(IN) && isBehind(OUT);
    }

    /** Whether standard error ends at a terminal. */
    public static boolean showsErrors() {
        return isBehind(ERR);
    }

    /** Whether standard output ends at a terminal. */
    public static boolean showsOutput() {
        return isBehind(OUT);
    }

    /** Whether standard output ends at a terminal whose user wants colours. */
    public static boolean showsColours() {
        return isBehind(OUT) && areWanted(System.getenv());
    }

    /** By the convention of no-color.org. */
    static boolean areWanted(Map<String, String> environment) {
        return environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !"dumb".equals(environment.get("TERM"));
    }

    /** Java's console knows of standard input and output together only. */
    private static boolean isBehind(int descriptor) {
        try {
            Path device = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor));
            return device.startsWith("/dev/pts") || device.toString().startsWith("/dev/tty");
        } catch (IOException e) {
            return false;
        }
    }
}
