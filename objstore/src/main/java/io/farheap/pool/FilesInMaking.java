package io.farheap.pool;

import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The part files that this process has made, and whose locks it has had since: nobody else has
 * opened them. For any thread.
 */
public final class FilesInMaking {
    private static final Set<Path> FILES = ConcurrentHashMap.newKeySet();

    private FilesInMaking() {}

    static void add(Path file) {
        boolean unused = FILES.add(known(file));
    }

    /** Its lock is about to go. */
    static void remove(Path file) {
        boolean unused = FILES.remove(known(file));
    }

    /** Whether it is one of them. */
    public static boolean has(Path file) {
        return FILES.contains(known(file));
    }

    private static Path known(Path file) {
        return file.toAbsolutePath().normalize();
    }
}
