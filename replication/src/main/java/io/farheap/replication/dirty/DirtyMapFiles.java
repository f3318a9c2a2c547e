package io.farheap.replication.dirty;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.Ownership;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.RemoteReplica;
import io.farheap.spi.ReplicatedPool;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/** Dirty maps as files beside the pool's first part: {@code PART.HASH-OF-REPLICA.dirty}. */
public final class DirtyMapFiles implements DirtyMaps {
    private static final long MOST_BYTES = 1L << 40;

    private final Path beside;
    private final byte[] poolsetUuid;
    private final LongSupplier imageBytes;
    private final List<AutoCloseable> open = new ArrayList<>();

    public DirtyMapFiles(ReplicatedPool pool) {
        this(
                pool.sideFiles(),
                new PoolHeader(pool.headerTemplate()).poolsetUuid().bytes(),
                () -> pool.image().byteSize());
    }

    DirtyMapFiles(Path beside, byte[] poolsetUuid, LongSupplier imageBytes) {
        this.beside = beside;
        this.poolsetUuid = poolsetUuid;
        this.imageBytes = imageBytes;
    }

    Path path(RemoteReplica replica) {
        CRC32C name = new CRC32C();
        name.update(replica.toString().getBytes(StandardCharsets.UTF_8));
        return new SideFiles(beside).dirtyMap(String.format("%08x", name.getValue()));
    }

    @Override
    public DirtyMap find(RemoteReplica replica, long number) {
        Path path = path(replica);
        if (!Files.exists(path)) {
            return null;
        }
        NativeFile file = NativeFile.open(path);
        open.add(file);
        long size = file.size() & -4096L;
        if (size == 0 || size > MOST_BYTES) {
            return null;
        }
        PoolMemory memory = map(file, size);
        if (DirtyMap.isOfAnotherRelease(memory)) {
            throw FarheapException.badData(
                    "%s is of another release of Farheap: it does not prove here what %s lacks,"
                            + " which is not brought up to date by it; run that release, or order a"
                            + " whole copy (farheap sync --overwrite)",
                    path, replica);
        }
        return DirtyMap.open(memory, identity(replica), number);
    }

    @Override
    public DirtyMap create(RemoteReplica replica, Bases bases, long number, boolean coversLag) {
        remove(replica);
        Path path = path(replica);
        long size = imageBytes.getAsLong();
        NativeFile file = NativeFile.create(path);
        open.add(file);
        try {
            Ownership.giveBeside(beside, file);
            long bytes = DirtyMap.fileBytes(size);
            file.allocate(bytes);
            PoolMemory memory = map(file, bytes);
            file.sync();
            NativeFile.syncDirectory(path.toAbsolutePath().getParent());
            return DirtyMap.create(memory, identity(replica), size, bases, number, coversLag);
        } catch (RuntimeException e) {
            try {
                remove(replica);
            } catch (FarheapException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    private MemorySegment identity(RemoteReplica replica) {
        return DirtyMap.identity(poolsetUuid, replica.toString());
    }

    private PoolMemory map(NativeFile file, long bytes) {
        MappedImage image = MappedImage.map(List.of(new Share(file, 0, bytes)), Access.SHARED);
        open.add(image);
        return new PoolMemory(image.segment(), image.persistence());
    }

    @Override
    public void remove(RemoteReplica replica) {
        Path path = path(replica);
        if (NativeFile.delete(path)) {
            NativeFile.syncDirectory(path.toAbsolutePath().getParent());
        }
    }

    @Override
    public void close() {
        RuntimeException failure = null;
        for (AutoCloseable each : open.reversed()) {
            try {
                each.close();
            } catch (Exception e) {
                failure = e instanceof RuntimeException r ? r : new IllegalStateException(e);
            }
        }
        open.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
