package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.memory.NativeFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.zip.CRC32C;

/**
 * By what a part file is known again: which file it is, when it was written, and its header and
 * descriptor. Each opening of a pool changes the number there, so that equal stamps tell that
 * nobody has committed in between; a file system in memory keeps no times of what is mapped.
 *
 * @param file which it is, and when it was written; null: none is there, or it can't be looked at
 * @param start a checksum of its header and descriptor; 0 where they can't be read
 */
record PartStamp(String file, long start) {
    private static final PartStamp NONE = new PartStamp(null, 0);

    /** As it is now, links followed, and whoever has it locked. */
    static PartStamp of(Path path) {
        try {
            BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
            String file = found.fileKey() + " " + found.size() + " " + found.lastModifiedTime();
            return new PartStamp(file, found.isRegularFile() ? start(path) : 0);
        } catch (NoSuchFileException e) {
            return NONE;
        } catch (IOException e) {
            return new PartStamp(FileStatus.reason(e), 0);
        }
    }

    boolean isThere() {
        return file != null;
    }

    private static long start(Path path) {
        try (NativeFile file = NativeFile.openReadOnly(path);
                Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(Descriptor.END, Long.BYTES);
            CRC32C sum = new CRC32C();
            sum.update(bytes.asSlice(0, file.read(bytes, 0)).asByteBuffer());
            return sum.getValue();
        } catch (FarheapException e) {
            return 0; // which stays so, or is another one then
        }
    }
}
