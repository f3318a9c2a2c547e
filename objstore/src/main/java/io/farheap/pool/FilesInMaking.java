package io.farheap.pool;

import io.farheap.memory.NativeFile;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * The part files that this process has made, and whose locks it has had since: nobody else has
 * opened them. For any thread.
 */
public final class FilesInMaking {
    private static final Set<Path> FILES = new HashSet<>(); // guarded by the class

    private FilesInMaking() {}

    static synchronized void add(Path file) {
        boolean unused = FILES.add(known(file));
    }

    /** It is about to go, or its lock is. */
    static synchronized void remove(Path file) {
        boolean unused = FILES.remove(known(file));
    }

    /**
     * Removes it if it is one of them; its lock does not go meanwhile.
     *
     * @return whether it was, and was there
     * @throws io.farheap.base.FarheapException when the system refuses
     */
    public static synchronized boolean delete(Path file) {
        return FILES.contains(known(file)) && NativeFile.delete(file);
    }

    private static Path known(Path file) {
        return file.toAbsolutePath().normalize();
    }
}
