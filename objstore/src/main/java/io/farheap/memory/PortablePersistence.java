package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.util.Map;

/**
 * Whether this process keeps its pools by what every Java has (docs/platforms.md) and not by
 * Linux's system calls: decided once, for good.
 *
 * <p>Only a pool file that is alone is mapped, and only where its stores are to reach it. An image
 * of several files, one that grows, and one whose stores reach no file are copies in memory; a sync
 * writes back from those that are shared. A store may reach its file no sooner than by a sync or
 * when the image is closed; {@link NativeFile} shows it before. Nothing is moved past an image that
 * its mapping can move: Windows does not promise that both views of a file are the same.
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
