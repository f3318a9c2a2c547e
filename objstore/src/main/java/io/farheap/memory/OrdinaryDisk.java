package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Which files lie on an ordinary disk: in the page cache of a file system that a block device
 * carries. Found out without a change, and the same for a file each time.
 */
public final class OrdinaryDisk {
    /**
     * By the names that the kernel has for them. Of others it is not known whether they keep what
     * is synced, and keep it when it is written past the page cache: those in memory don't, and
     * those of a network or of a program do as somebody else does.
     */
    private static final Set<String> FILE_SYSTEMS =
            Set.of("ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "overlay");

    private OrdinaryDisk() {}

    /** Whether a file is on one, and not on persistent memory. False where it can't be read. */
    public static boolean has(Path file) {
        if (!Files.isRegularFile(file) || !carries(file)) {
            return false;
        }
        try (NativeFile opened = NativeFile.openReadOnly(file)) {
            return !AddressSpace.isSynchronous(opened, MappedImage.PAGE);
        } catch (FarheapException unreadable) {
            return false; // opening says that better
        }
    }

    /** Whether the file system of a file or directory is one that ordinary disks carry. */
    public static boolean carries(Path path) {
        try {
            return isDisks(Files.getFileStore(path).type());
        } catch (IOException e) {
            return false;
        }
    }

    static boolean isDisks(String fileSystem) {
        return FILE_SYSTEMS.contains(fileSystem);
    }
}
