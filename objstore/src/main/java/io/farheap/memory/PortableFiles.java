package io.farheap.memory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open files of this process by numbers of ours.
 *
 * <p>POSIX lets all locks of a process on a file go when any of its descriptors of that file is
 * closed. So what is not needed any more stays open as long as another one of the same file is
 * locked.
 */
final class PortableFiles {
    /** Above the numbers that the system gives: nobody takes one for the other. */
    private static final int FIRST = 1 << 24;

    private static final Map<Integer, PortableFile> BY_NUMBER = new ConcurrentHashMap<>();
    private static final Map<Object, List<PortableFile>> LOCKED = new HashMap<>();
    private static final List<Unused> UNUSED = new ArrayList<>();
    private static int last = FIRST;

    private record Unused(Object key, Closeable channel) {}

    private PortableFiles() {}

    static synchronized int add(PortableFile file) {
        int number = ++last;
        BY_NUMBER.put(number, file);
        return number;
    }

    /** Null: there is none of that number. */
    static PortableFile get(int number) {
        return BY_NUMBER.get(number);
    }

    /** What tells one file from another by its path; null where the system does not. */
    static Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /** Whether the path still names the file; where no system tells, whether it names one. */
    static boolean isAt(int number, Path path) throws IOException {
        PortableFile file = get(number);
        Object there = key(path);
        return file != null && (there == null || there.equals(file.key()));
    }

    /**
     * For what Java does by a path alone.
     *
     * @throws IOException where another file lies there by now
     */
    static void requireAtItsPath(PortableFile file) throws IOException {
        Object there = key(file.path());
        if (there != null && !there.equals(file.key())) {
            throw new IOException("Stale file handle: " + file.path() + " is another file by now");
        }
    }

    /** Under which path it can be found. */
    static Path path(int number) {
        return BY_NUMBER.get(number).path();
    }

    static synchronized void renamed(Path from, Path to) throws IOException {
        Path absolute = from.toAbsolutePath();
        for (PortableFile file : BY_NUMBER.values()) {
            if (file.path().toAbsolutePath().equals(absolute)) {
                file.renamed(to);
            }
        }
    }

    static synchronized boolean tryLock(PortableFile file) throws IOException {
        if (!file.tryLock()) {
            return false;
        }
        List<PortableFile> holders =
                LOCKED.computeIfAbsent(keyOf(file), unused -> new ArrayList<>());
        if (!holders.contains(file)) {
            holders.add(file);
        }
        return true;
    }

    static synchronized void unlock(PortableFile file) throws IOException {
        if (!file.isLocked()) {
            return;
        }
        List<PortableFile> holders = LOCKED.get(keyOf(file));
        boolean unused = holders.remove(file);
        if (holders.isEmpty()) {
            LOCKED.remove(keyOf(file));
        }
        try {
            file.unlock();
        } finally {
            closeUnused();
        }
    }

    static Object keyOf(PortableFile file) {
        return file.key() == null ? file : file.key();
    }

    /** For whom a mapping needs it beyond the number's end. */
    static synchronized void retain(PortableFile file) {
        file.retain();
    }

    static synchronized void release(PortableFile file) throws IOException {
        if (file.release()) {
            closeOnceUnlocked(keyOf(file), file::close);
        }
    }

    /** Closes another channel of the file with that key when it lets no lock go. */
    static synchronized void closeOnceUnlocked(Object key, Closeable channel) throws IOException {
        UNUSED.add(new Unused(key, channel));
        closeUnused();
    }

    /** Lets number and lock go. */
    static synchronized void close(int number) throws IOException {
        PortableFile file = BY_NUMBER.remove(number);
        try {
            unlock(file);
        } finally {
            release(file);
        }
    }

    private static void closeUnused() throws IOException {
        IOException failure = null;
        for (Iterator<Unused> all = UNUSED.iterator(); all.hasNext(); ) {
            Unused each = all.next();
            if (LOCKED.containsKey(each.key())) {
                continue;
            }
            all.remove();
            try {
                each.channel().close();
            } catch (IOException e) {
                if (failure != null) {
                    e.addSuppressed(failure);
                }
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
