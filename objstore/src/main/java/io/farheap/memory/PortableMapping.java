package io.farheap.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;

/** A range of memory that a {@link FileChannel} has mapped. */
final class PortableMapping {
    /** What Windows takes at once has 32 bits. */
    private static final long MOST_SYNCED = 1L << 30;

    /** Nobody else is to see what a pool has. */
    private static final int OWNER = 0600;

    private static final Set<StandardOpenOption> OF_MEMORY =
            Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.SPARSE,
                    StandardOpenOption.DELETE_ON_CLOSE);

    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    private final Arena arena;
    private final MemorySegment memory;

    /** Whose stores it shows; null: nobody's. */
    private final PortableFile file;

    private PortableMapping(Arena arena, MemorySegment memory, PortableFile file) {
        this.arena = arena;
        this.memory = memory;
        this.file = file;
    }

    /** A file, which it keeps open. */
    static PortableMapping of(PortableFile file, MapMode mode, long offset, long length)
            throws IOException {
        Set<StandardOpenOption> options =
                file.isWritable()
                        ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE)
                        : Set.of(StandardOpenOption.READ);
        Arena arena = Arena.ofShared();
        try {
            FileChannel channel = FileChannel.open(file.path(), options);
            MemorySegment memory;
            try {
                PortableFiles.requireAtItsPath(file);
                memory = map(channel, mode, offset, length, arena);
            } finally {
                PortableFiles.closeOnceUnlocked(PortableFiles.keyOf(file), channel);
            }
            PortableFiles.retain(file);
            return new PortableMapping(arena, memory, file);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Memory that takes space by and by, and lies in a file without a name meanwhile. */
    static PortableMapping ofMemory(long length) throws IOException {
        Arena arena = Arena.ofShared();
        Path path = TEMPORARY.resolve("farheap-" + UUID.randomUUID());
        try (FileChannel channel =
                FileChannel.open(path, OF_MEMORY, PortableCalls.attributes(OWNER))) {
            MemorySegment memory = map(channel, MapMode.READ_WRITE, 0, length, arena);
            return new PortableMapping(arena, memory, null);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** By a thread that nobody interrupts: that would close the channel. */
    private static MemorySegment map(
            FileChannel channel, MapMode mode, long offset, long length, Arena arena)
            throws IOException {
        Object[] result = new Object[1];
        Thread mapper =
                Thread.ofPlatform()
                        .name("farheap-map")
                        .start(
                                () -> {
                                    try {
                                        result[0] = channel.map(mode, offset, length, arena);
                                    } catch (IOException | RuntimeException | Error e) {
                                        result[0] = e;
                                    }
                                });
        boolean interrupted = false;
        while (mapper.isAlive()) {
            try {
                mapper.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (result[0] instanceof MemorySegment memory) {
            return memory;
        }
        if (result[0] instanceof RuntimeException failure) {
            throw failure;
        }
        // no address space is an Error of the JVM's, and an answer of the kernel's
        throw result[0] instanceof IOException failure
                ? failure
                : new IOException("Cannot allocate memory", (Throwable) result[0]);
    }

    MemorySegment memory() {
        return memory;
    }

    /** Waits until a range is on the medium, where it shows a file. */
    void sync(long from, long length) throws IOException {
        for (long at = 0; at < length; at += MOST_SYNCED) {
            memory.asSlice(from + at, Math.min(MOST_SYNCED, length - at)).force();
        }
        file.force(false); // on macOS the pages are as far as the drive's cache without it
    }

    void close() throws IOException {
        arena.close();
        if (file != null) {
            PortableFiles.release(file);
        }
    }
}
