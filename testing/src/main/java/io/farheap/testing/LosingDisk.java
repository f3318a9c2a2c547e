package io.farheap.testing;

import io.farheap.memory.SystemCalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the medium under a directory has for sure: content by the syncs of files and pages, names by
 * the syncs of directories. Everything else may be lost with the power, page by page and name by
 * name; but a rename is one entry of a file system's log, so that no file is without a name after
 * it.
 */
@SuppressWarnings("exports") // for who tests Farheap itself, whose inner types these are
public final class LosingDisk extends SystemCalls implements AutoCloseable {
    private static final int PAGE = 4096;
    private static final int O_DSYNC = 0x1000;
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private static final class Content {
        byte[] durable = new byte[0];
    }

    private record Mapping(long length, Content content, long offset) {}

    private final Path directory;
    private final SystemCalls disk;
    private final Map<Path, Content> names = new HashMap<>();
    private final Map<Path, Content> durableNames = new HashMap<>();
    private final List<Set<Path>> renamed = new ArrayList<>();
    private final Map<Integer, Path> files = new HashMap<>();

    /** Descriptors each write of which is durable when it returns. */
    private final Set<Integer> synced = new HashSet<>();

    private final TreeMap<Long, Mapping> mappings = new TreeMap<>();

    private LosingDisk(Path directory, SystemCalls disk) {
        this.directory = directory;
        this.disk = disk;
    }

    /** Takes what is there now for durable. */
    public static LosingDisk under(Path directory) {
        synchronized (SystemCalls.class) {
            LosingDisk losing = new LosingDisk(directory, current());
            for (Map.Entry<Path, byte[]> file : read(directory).entrySet()) {
                Content content = new Content();
                content.durable = file.getValue();
                losing.names.put(file.getKey(), content);
            }
            losing.durableNames.putAll(losing.names);
            install(losing);
            return losing;
        }
    }

    /** Every file under a directory. */
    public static Map<Path, byte[]> read(Path directory) {
        Map<Path, byte[]> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path file : all.filter(LosingDisk::hasContent).toList()) {
                files.put(file, Files.readAllBytes(file));
            }
            return files;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A lock of the portable persistence has none, and whoever opens it would let it go. */
    private static boolean hasContent(Path file) {
        return Files.isRegularFile(file) && !file.toString().endsWith(".portable-lock");
    }

    /** Makes the files of a directory these. */
    public static void write(Path directory, Map<Path, byte[]> files) {
        try {
            for (Path there : read(directory).keySet()) {
                Files.delete(there); // whoever has it open yet has it for itself
            }
            for (Map.Entry<Path, byte[]> file : files.entrySet()) {
                Files.write(file.getKey(), file.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is there after a power loss now, names and pages that are not certain by chance. */
    public synchronized Map<Path, byte[]> losePower(Random random) {
        Map<Path, byte[]> now = read(directory);
        Map<Path, byte[]> left = new TreeMap<>();
        Set<Path> all = new HashSet<>(names.keySet());
        all.addAll(durableNames.keySet());
        Map<Set<Path>, Boolean> fates = new HashMap<>();
        for (Path path : all) {
            Content durable = durableNames.get(path);
            Content current = names.get(path);
            boolean lost =
                    fates.computeIfAbsent(namesTogether(path), unused -> random.nextBoolean());
            Content content = lost ? durable : current;
            if (content != null) {
                byte[] stored = content == current ? now.get(path) : content.durable;
                left.put(path, mixed(content.durable, stored, random));
            }
        }
        return left;
    }

    /** The names that are durable or lost with this one. */
    private Set<Path> namesTogether(Path path) {
        for (Set<Path> together : renamed) {
            if (together.contains(path)) {
                return together;
            }
        }
        return Set.of(path);
    }

    private void rename(Path old, Path named) {
        Set<Path> together = new HashSet<>(namesTogether(old));
        together.addAll(namesTogether(named));
        renamed.removeIf(names -> !Collections.disjoint(names, together));
        renamed.add(together);
    }

    private static byte[] mixed(byte[] durable, byte[] stored, Random random) {
        byte[] mixed = durable.clone();
        if (stored.length != mixed.length && random.nextBoolean()) {
            mixed = Arrays.copyOf(mixed, stored.length);
        }
        double kept = random.nextDouble();
        for (int at = 0; at + PAGE <= Math.min(mixed.length, stored.length); at += PAGE) {
            if (Arrays.mismatch(mixed, at, at + PAGE, stored, at, at + PAGE) >= 0
                    && random.nextDouble() < kept) {
                System.arraycopy(stored, at, mixed, at, PAGE);
            }
        }
        return mixed;
    }

    @Override
    public void close() {
        synchronized (SystemCalls.class) {
            install(disk);
        }
    }

    @Override
    public synchronized int open(String path, int flags, int mode) {
        int descriptor = disk.open(path, flags, mode);
        Path named = Path.of(path).toAbsolutePath();
        Path file =
                named.startsWith(DESCRIPTORS) // a file that is open already
                        ? files.getOrDefault(
                                Integer.parseInt(named.getFileName().toString()), named)
                        : named;
        if (descriptor >= 0 && (flags & O_DSYNC) != 0) {
            synced.add(descriptor);
        }
        if (descriptor >= 0 && file.startsWith(directory)) {
            files.put(descriptor, file);
            if (!Files.isDirectory(file)) {
                Content unused = names.computeIfAbsent(file, made -> new Content());
            }
        }
        return descriptor;
    }

    @Override
    public synchronized int close(int descriptor) {
        synced.remove(descriptor);
        files.remove(descriptor);
        return disk.close(descriptor);
    }

    @Override
    public long read(int descriptor, MemorySegment buffer, long offset) {
        return disk.read(descriptor, buffer, offset);
    }

    @Override
    public synchronized long write(int descriptor, MemorySegment buffer, long offset) {
        long written = disk.write(descriptor, buffer, offset);
        Path file = files.get(descriptor);
        if (written > 0 && file != null && synced.contains(descriptor)) {
            Content content = names.get(file);
            int end = Math.toIntExact(offset + written);
            if (content.durable.length < end) {
                content.durable = Arrays.copyOf(content.durable, end);
            }
            MemorySegment.copy(buffer, 0, MemorySegment.ofArray(content.durable), offset, written);
        }
        return written;
    }

    @Override
    public int truncate(int descriptor, long size) {
        return disk.truncate(descriptor, size);
    }

    @Override
    public int allocate(int descriptor, long offset, long length) {
        return disk.allocate(descriptor, offset, length);
    }

    @Override
    public int setMode(int descriptor, int mode) {
        return disk.setMode(descriptor, mode);
    }

    @Override
    public int setOwner(int descriptor, int user, int group) {
        return disk.setOwner(descriptor, user, group);
    }

    @Override
    public synchronized int sync(int descriptor) {
        int result = disk.sync(descriptor);
        Path file = files.get(descriptor);
        if (file != null && result == 0) {
            if (names.containsKey(file)) {
                try {
                    names.get(file).durable = Files.readAllBytes(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            } else {
                durableNames.keySet().removeIf(path -> path.getParent().equals(file));
                renamed.removeIf(together -> together.stream().allMatch(isIn(file)));
                names.forEach(
                        (path, content) -> {
                            if (path.getParent().equals(file)) {
                                durableNames.put(path, content);
                            }
                        });
            }
        }
        return result;
    }

    private static Predicate<Path> isIn(Path directory) {
        return path -> path.getParent().equals(directory);
    }

    @Override
    public int lock(int descriptor, int operation) {
        return disk.lock(descriptor, operation);
    }

    @Override
    public long size(int descriptor) {
        return disk.size(descriptor);
    }

    @Override
    public synchronized long map(
            long address, long length, int protection, int flags, int descriptor, long offset) {
        long mapped = disk.map(address, length, protection, flags, descriptor, offset);
        Path file = files.get(descriptor);
        if (mapped >= 0 && file != null) {
            mappings.put(mapped, new Mapping(length, names.get(file), offset));
        }
        return mapped;
    }

    @Override
    public synchronized int unmap(long address, long length) {
        mappings.subMap(address, address + length).clear();
        return disk.unmap(address, length);
    }

    @Override
    public synchronized int syncPages(long address, long length) {
        int result = disk.syncPages(address, length);
        Long first = mappings.floorKey(address);
        if (result == 0 && first != null) {
            mappings.subMap(first, address + length)
                    .forEach((start, mapping) -> settle(start, mapping, address, address + length));
        }
        return result;
    }

    private static void settle(long start, Mapping mapping, long address, long addressEnd) {
        long from = Math.max(start, address);
        long end = Math.min(start + mapping.length(), addressEnd);
        if (from < end) {
            int at = (int) (mapping.offset() + from - start);
            int length = (int) (end - from);
            byte[] durable = mapping.content().durable;
            if (durable.length < at + length) {
                durable = Arrays.copyOf(durable, at + length);
                mapping.content().durable = durable;
            }
            MemorySegment stored = MemorySegment.ofAddress(from).reinterpret(length);
            MemorySegment.copy(stored, 0, MemorySegment.ofArray(durable), at, length);
        }
    }

    @Override
    public int dropPages(long address, long length) {
        return disk.dropPages(address, length);
    }

    @Override
    public int residentPages(long address, long length, MemorySegment pages) {
        return disk.residentPages(address, length, pages);
    }

    @Override
    public synchronized int rename(String from, String to) {
        int result = disk.rename(from, to);
        Path old = Path.of(from).toAbsolutePath();
        Path named = Path.of(to).toAbsolutePath();
        if (result == 0 && names.containsKey(old)) {
            names.put(named, names.remove(old));
            rename(old, named);
            files.replaceAll((fd, file) -> file.equals(old) ? named : file);
        }
        return result;
    }

    @Override
    public synchronized int unlink(String path) {
        int result = disk.unlink(path);
        if (result == 0) {
            names.remove(Path.of(path).toAbsolutePath());
        }
        return result;
    }

    @Override
    public Process start(List<String> command) throws IOException {
        return disk.start(command);
    }
}
