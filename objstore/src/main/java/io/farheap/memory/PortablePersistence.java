package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.util.Map;

/**
 * Whether this process keeps its pools by what every Java has (docs/platforms.md) and not by Linux's
 * system calls: decided once, for good.
 *
 * <p>What is mapped is a file of its own then; an image of several files, or one that grows, is a
 * copy of them in memory, to which a sync writes back. So nothing may be moved past a mapping, and
 * no store reaches a file before it is synced or the image is closed.
 */
public final class PortablePersistence {
    static final String VARIABLE = "FARHEAP_PORTABLE";

    private static final boolean USED = isWanted(System.getProperty("os.name"), System.getenv());

    private PortablePersistence() {}

    /** Everywhere but on Linux, and there where {@code FARHEAP_PORTABLE} says so. */
    public static boolean isUsed() {
        return USED;
    }

    /**
     * By the name that Java has for the system.
     *
     * @throws FarheapException WRONG_USE for a value that is none, or can't be had there
     */
    static boolean isWanted(String system, Map<String, String> environment) {
        boolean linux = system.equals("Linux");
        return switch (environment.getOrDefault(VARIABLE, "")) {
            case "" -> !linux;
            case "yes" -> true;
            case "no" -> {
                if (!linux) {
                    throw FarheapException.wrongUse(
                            "%s=no asks for Linux's system calls, and this is %s: unset it",
                            VARIABLE, system);
                }
                yield false;
            }
            default ->
                    throw FarheapException.wrongUse(
                            "%s must be yes or no, not %s", VARIABLE, environment.get(VARIABLE));
        };
    }
}
