package io.farheap.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What this package asks the kernel for, by the files of Java: for macOS and Windows, and for tests
 * of that on Linux. Numbers and flags are Linux's.
 */
final class PortableCalls extends SystemCalls {
    private static final int READ_WRITE = 3;
    private static final int ZEROS = 64 << 10;

    private static final boolean HAS_PERMISSIONS =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private final PortableMemory memory = new PortableMemory();

    /** What the channels of Java do, or why they don't. */
    private interface Action {
        long run(PortableFile file) throws IOException;
    }

    private static long of(int descriptor, Action action) {
        PortableFile file = PortableFiles.get(descriptor);
        if (file == null) {
            return -PortableErrors.EBADF;
        }
        try {
            return action.run(file);
        } catch (IOException e) {
            return PortableErrors.of(e);
        }
    }

    private static long ofWritable(int descriptor, Action action) {
        return of(descriptor, file -> file.isWritable() ? action.run(file) : -PortableErrors.EBADF);
    }

    @Override
    public int open(String path, int flags, int mode) {
        if ((flags & Platform.current().directFlag()) != 0) {
            return -LibC.EINVAL; // as file systems that have none
        }
        boolean writable = (flags & LibC.O_RDWR) != 0;
        FileAttribute<?>[] attributes =
                (flags & LibC.O_CREAT) != 0 ? attributes(mode) : new FileAttribute<?>[0];
        try {
            return PortableFiles.add(
                    PortableFile.open(
                            Path.of(path), options(flags, writable), writable, attributes));
        } catch (IOException e) {
            return PortableErrors.of(e);
        }
    }

    /**
     * What a new file gets, less what the umask takes away; nothing where there are no such bits.
     */
    static FileAttribute<?>[] attributes(int mode) {
        return HAS_PERMISSIONS
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions(mode))}
                : new FileAttribute<?>[0];
    }

    private static Set<OpenOption> options(int flags, boolean writable) {
        Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.READ));
        if (writable) {
            options.add(StandardOpenOption.WRITE);
        }
        if ((flags & LibC.O_CREAT) != 0) {
            options.add(
                    (flags & LibC.O_EXCL) != 0
                            ? StandardOpenOption.CREATE_NEW
                            : StandardOpenOption.CREATE);
        }
        if ((flags & LibC.O_DSYNC) != 0) {
            options.add(StandardOpenOption.DSYNC);
        }
        if ((flags & Platform.current().noFollowFlag()) != 0) {
            options.add(LinkOption.NOFOLLOW_LINKS);
        }
        return options;
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        PosixFilePermission[] all = PosixFilePermission.values(); // from the owner's reading on
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int i = 0; i < all.length; i++) {
            if ((mode & (1 << (all.length - 1 - i))) != 0) {
                permissions.add(all[i]);
            }
        }
        return permissions;
    }

    @Override
    public int close(int descriptor) {
        return (int)
                of(
                        descriptor,
                        file -> {
                            PortableFiles.close(descriptor);
                            return 0;
                        });
    }

    @Override
    public long read(int descriptor, MemorySegment buffer, long offset) {
        return of(
                descriptor,
                file -> {
                    ByteBuffer piece = PortableBuffers.own().clear();
                    piece.limit((int) Math.min(piece.capacity(), buffer.byteSize()));
                    int read = file.read(piece, offset);
                    MemorySegment bytes = MemorySegment.ofBuffer(piece.flip());
                    memory.overlay(file, offset, bytes);
                    MemorySegment.copy(bytes, 0, buffer, 0, read);
                    return read;
                });
    }

    @Override
    public long write(int descriptor, MemorySegment buffer, long offset) {
        return ofWritable(
                descriptor,
                file -> {
                    ByteBuffer piece = PortableBuffers.own().clear();
                    int length = (int) Math.min(piece.capacity(), buffer.byteSize());
                    MemorySegment.copy(buffer, 0, MemorySegment.ofBuffer(piece), 0, length);
                    int written = file.write(piece.limit(length), offset);
                    memory.written(file, offset, buffer.asSlice(0, written));
                    return written;
                });
    }

    @Override
    public int truncate(int descriptor, long size) {
        return (int)
                ofWritable(
                        descriptor,
                        file -> {
                            if (size > file.size()) {
                                int unused = file.write(ByteBuffer.allocate(1), size - 1);
                            } else {
                                file.cut(size);
                            }
                            return 0;
                        });
    }

    /** What the file has not got is written; holes that it has are left. */
    @Override
    public int allocate(int descriptor, long offset, long length) {
        return (int)
                ofWritable(
                        descriptor,
                        file -> {
                            long missing = offset + length - file.size();
                            if (missing > usable(file)) {
                                return -PortableErrors.ENOSPC; // without filling the disk first
                            }
                            ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
                            for (long at = file.size(); at < offset + length; ) {
                                zeros.clear().limit((int) Math.min(ZEROS, offset + length - at));
                                at += file.write(zeros, at);
                            }
                            return 0;
                        });
    }

    private static long usable(PortableFile file) throws IOException {
        return Files.getFileStore(file.path()).getUsableSpace();
    }

    /** Where there are no such bits the file has what its directory gives it. */
    @Override
    public int setMode(int descriptor, int mode) {
        return !HAS_PERMISSIONS
                ? 0
                : (int)
                        of(
                                descriptor,
                                file -> {
                                    PortableFiles.requireAtItsPath(file);
                                    Path unused =
                                            Files.setPosixFilePermissions(
                                                    file.path(), permissions(mode));
                                    return 0;
                                });
    }

    @Override
    public int setOwner(int descriptor, int user, int group) {
        return (int)
                of(
                        descriptor,
                        file -> {
                            PortableFiles.requireAtItsPath(file);
                            Path named = file.path();
                            if (group != -1) {
                                named = Files.setAttribute(named, "unix:gid", group);
                            }
                            if (user != -1) {
                                named = Files.setAttribute(named, "unix:uid", user);
                            }
                            return 0;
                        });
    }

    @Override
    public int sync(int descriptor) {
        return sync(descriptor, true);
    }

    @Override
    public int syncData(int descriptor) {
        return sync(descriptor, false);
    }

    private static int sync(int descriptor, boolean all) {
        return (int)
                of(
                        descriptor,
                        file -> {
                            file.force(all);
                            return 0;
                        });
    }

    @Override
    public int lock(int descriptor, int operation) {
        return (int)
                of(
                        descriptor,
                        file -> {
                            if (operation == LibC.UNLOCK) {
                                PortableFiles.unlock(file);
                                return 0;
                            }
                            return PortableFiles.tryLock(file) ? 0 : -LibC.EAGAIN;
                        });
    }

    @Override
    public long size(int descriptor) {
        return of(descriptor, PortableFile::size);
    }

    @Override
    public long map(
            long address, long length, int protection, int flags, int descriptor, long offset) {
        if ((flags & LibC.MAP_SYNC) != 0) {
            return -PortableErrors.EOPNOTSUPP;
        }
        if ((flags & LibC.MAP_ANONYMOUS) != 0) {
            try {
                return memory.reserve(length);
            } catch (IOException e) {
                return PortableErrors.of(e);
            }
        }
        boolean shared = (flags & LibC.MAP_SHARED) != 0;
        boolean stored = shared && protection == READ_WRITE;
        if ((flags & LibC.MAP_FIXED) != 0) {
            return of(
                    descriptor,
                    file ->
                            memory.copy(address, length, file, offset, stored)
                                    ? address
                                    : -LibC.EINVAL);
        }
        if (!shared) {
            return -LibC.EINVAL; // nobody asks for that, and systems differ in what it shows
        }
        MapMode mode = stored ? MapMode.READ_WRITE : MapMode.READ_ONLY;
        return of(
                descriptor,
                file ->
                        file.size() < offset + length // which Java would lengthen
                                ? -LibC.EINVAL
                                : memory.show(file, mode, offset, length));
    }

    @Override
    public int unmap(long address, long length) {
        try {
            return memory.unmap(address, length) ? 0 : -LibC.EINVAL;
        } catch (IOException e) {
            return PortableErrors.of(e);
        }
    }

    @Override
    public int syncPages(long address, long length) {
        try {
            return memory.sync(address, length) ? 0 : -PortableErrors.ENOMEM;
        } catch (IOException e) {
            return PortableErrors.of(e);
        }
    }

    /** All may be: to store one more again costs time alone. */
    @Override
    public int residentPages(long address, long length, MemorySegment pages) {
        MemorySegment unused =
                pages.asSlice(0, (length + MappedImage.PAGE - 1) / MappedImage.PAGE).fill((byte) 1);
        return 0;
    }

    @Override
    public int dropPages(long address, long length) {
        return -PortableErrors.ENOSYS;
    }

    @Override
    public int rename(String from, String to) {
        try {
            Path moved = Files.move(Path.of(from), Path.of(to), StandardCopyOption.ATOMIC_MOVE);
            PortableFiles.renamed(Path.of(from), moved);
            return 0;
        } catch (IOException e) {
            return PortableErrors.of(e);
        }
    }

    @Override
    public int unlink(String path) {
        Path file = Path.of(path);
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            return -PortableErrors.EISDIR;
        }
        try {
            Files.delete(file);
            return 0;
        } catch (IOException e) {
            return PortableErrors.of(e);
        }
    }

    @Override
    public Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command).start();
    }
}
