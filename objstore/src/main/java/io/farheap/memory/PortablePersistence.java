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

    /** What is wrong with the variable; a class that failed to initialise could not say it. */
    private static final FarheapException WRONG;

    private static final boolean USED;

    static {
        FarheapException wrong = null;
        boolean used = false;
        try {
            used = isWanted(System.getProperty("os.name"), System.getenv());
        } catch (FarheapException e) {
            wrong = e;
        }
        WRONG = wrong;
        USED = used;
    }

    private PortablePersistence() {}

    /**
     * Everywhere but on Linux, and there where {@code FARHEAP_PORTABLE} says so.
     *
     * @throws FarheapException WRONG_USE where it says what it can't mean
     */
    public static boolean isUsed() {
        if (WRONG != null) {
            throw WRONG;
        }
        return USED;
    }

    /**
     * For what sees, in files that others map, what they store.
     *
     * @param what a sentence's subject
     * @throws FarheapException ENVIRONMENT where the portable persistence is used
     */
    public static void requireNotUsed(String what) {
        if (isUsed()) {
            throw FarheapException.environment(
                    "%s needs Linux's system calls, and this process keeps pools by the portable"
                            + " persistence (docs/platforms.md): run it on Linux, without %s",
                    what, VARIABLE);
        }
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
