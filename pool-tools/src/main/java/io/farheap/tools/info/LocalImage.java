package io.farheap.tools.info;

import io.farheap.base.DiskJournalFacts;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.FileStatus;
import io.farheap.pool.JournalLook;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One local replica as far as it is there: locked, mapped so that nothing reaches the files, zeros
 * where a part is missing or cut off. What is missing is said to {@link Problems}.
 */
final class LocalImage implements AutoCloseable {
    private static final long PAGE = 4096;
    private static final long MOST_MISSING = 1L << 40;

    private final PoolSet set;
    private final LocalReplica replica;
    private final boolean plain;
    private final Problems problems;
    private final List<NativeFile> files = new ArrayList<>();
    private final List<PoolHeader> headers = new ArrayList<>();
    private NativeFile hole;
    private MappedImage mapped;
    private PoolMemory memory;
    private Path journal;
    private long journalBytes;

    private LocalImage(PoolSet set, LocalReplica replica, boolean plain, Problems problems) {
        this.set = set;
        this.replica = replica;
        this.plain = plain;
        this.problems = problems;
    }

    /**
     * Opens a replica.
     *
     * @param plain whether it is one file, which may be a part of a set whose file is not at hand
     * @throws FarheapException ENVIRONMENT for a part that is in use, or where nothing can be read
     */
    static LocalImage open(PoolSet set, LocalReplica replica, boolean plain, Problems problems)
            throws IOException {
        LocalImage image = new LocalImage(set, replica, plain, problems);
        try {
            image.open();
            return image;
        } catch (IOException | RuntimeException e) {
            image.close();
            throw e;
        }
    }

    private void open() throws IOException {
        for (int p = 0; p < replica.parts().size(); p++) {
            files.add(part(replica.parts().get(p)));
            headers.add(set.hasHeader(p) ? header(files.get(p)) : null);
        }
        if (files.stream().noneMatch(file -> file != null && file.size() >= PAGE)) {
            throw new FarheapException(
                    Category.BAD_DATA,
                    problems.isEmpty()
                            ? replica.parts().get(0).path()
                                    + " ends inside its header: it is no pool, or was cut off"
                            : problems.sentences().get(0));
        }
        List<Share> shares = new ArrayList<>();
        for (int p = 0; p < replica.parts().size(); p++) {
            share(p, shares);
        }
        long behind = plain ? missingBehind() : 0;
        if (behind > 0) {
            shares.add(new Share(hole(behind), 0, behind));
        }
        mapped = MappedImage.map(shares, Access.PRIVATE);
        throughJournal();
        memory = HeapWalk.readOnly(mapped.segment());
    }

    /** What the newest commits stored may be in a disk journal alone. */
    private void throughJournal() {
        PoolHeader marked =
                headers.stream()
                        .filter(header -> header != null && header.isMarked())
                        .findFirst()
                        .orElse(null);
        if (marked == null || headers.get(0) == null) {
            return;
        }
        try (JournalLook look =
                plain
                        ? JournalLook.at(replica.parts().get(0).path(), headers.get(0), marked, 0)
                        : JournalLook.ofReplica(
                                set,
                                set.localReplicas().indexOf(replica),
                                headers.get(0),
                                marked)) {
            if (look.fault() == null) {
                look.bringTo(mapped.segment());
                journal = look.path();
                journalBytes = look.bytes();
            } else {
                problems.add(
                        replica.parts().get(0).path()
                                + ": "
                                + look.fault()
                                + "; what is shown lacks them");
            }
        }
    }

    /** The disk journal whose content is shown as well; null where none is needed. */
    Path journal() {
        return journal;
    }

    /** The disk journal beside the first part, needed or not; null: none. */
    DiskJournalFacts journalBeside() {
        return JournalLook.beside(replica.parts().get(0).path());
    }

    /** How many of its bytes the files may lack. */
    long journalBytes() {
        return journalBytes;
    }

    /** Null where it can't be opened. */
    private NativeFile part(Part part) {
        FileStatus found = FileStatus.of(part.path());
        if (!found.isRegular()) {
            problems.add(
                    part.path()
                            + (found.exists()
                                    ? ": not a regular file"
                                    : ": No such file or directory"));
            return null;
        }
        NativeFile file = NativeFile.openReadOnly(part.path());
        try {
            file.lock();
        } catch (FarheapException e) {
            file.close();
            throw e;
        }
        if (file.size() != part.size()) {
            problems.add(
                    part.path()
                            + ": file size does not match config: "
                            + file.size()
                            + " != "
                            + part.size());
        }
        return file;
    }

    /** A copy of the first page, so that it outlives the mapping; null where it is not there. */
    private static PoolHeader header(NativeFile file) {
        return file == null || file.size() < PoolHeader.SIZE
                ? null
                : new PoolHeader(start(file, PoolHeader.SIZE));
    }

    private static MemorySegment start(NativeFile file, long size) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[Math.toIntExact(size)]);
        long unused = file.read(bytes, 0); // what it lacks stays zero
        return bytes;
    }

    private void share(int p, List<Share> shares) throws IOException {
        long start = set.imageStart(p);
        long bytes = set.imageSize(replica, p);
        NativeFile file = files.get(p);
        long there = file == null ? 0 : Math.clamp((file.size() & -PAGE) - start, 0, bytes);
        if (there > 0) {
            shares.add(new Share(file, start, there));
        }
        if (bytes > there) {
            shares.add(new Share(hole(bytes - there), 0, bytes - there));
        }
    }

    /** How much of the pool lies behind the end of a file whose descriptor can be believed. */
    private long missingBehind() {
        long size = files.get(0).size() & -PAGE;
        if (size < Descriptor.END) {
            return Descriptor.END - size;
        }
        MemorySegment bytes = start(files.get(0), Descriptor.END);
        if (Descriptor.faultIn(bytes) != null) {
            return 0;
        }
        Descriptor descriptor = new Descriptor(HeapWalk.readOnly(bytes));
        long end = descriptor.heapOffset() + descriptor.heapSize();
        // The heap's size is not under the descriptor's checksum: it may be anything.
        boolean behind =
                descriptor.heapOffset() > 0
                        && descriptor.heapSize() > 0
                        && end > size
                        && end - size <= MOST_MISSING;
        if (behind) {
            problems.add(
                    replica.parts().get(0).path()
                            + " has "
                            + files.get(0).size()
                            + " bytes, the pool's heap ends at "
                            + end
                            + ": it was cut off, or is one part of several; what is missing is"
                            + " shown as zeros");
        }
        return behind ? (end - size + PAGE - 1) & -PAGE : 0;
    }

    /** A file of zeros that takes no room and has no name any more. */
    private NativeFile hole(long bytes) throws IOException {
        if (hole == null || hole.size() < bytes) {
            Path file = Files.createTempFile("farheap", ".zeros");
            try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
                sparse.setLength(bytes);
                files.add(NativeFile.openReadOnly(file));
            } finally {
                Files.delete(file);
            }
            hole = files.get(files.size() - 1);
        }
        return hole;
    }

    /** The image, from the header of part 0 on. */
    PoolMemory memory() {
        return memory;
    }

    LocalReplica replica() {
        return replica;
    }

    /** Of each part: null where it has none, or it can't be read. */
    PoolHeader header(int part) {
        return headers.get(part);
    }

    /** Whether a part's first byte of the image is there. */
    boolean isThere(int part) {
        return files.get(part) != null && files.get(part).size() >= PAGE;
    }

    @Override
    public void close() {
        if (mapped != null) {
            mapped.close();
        }
        for (NativeFile file : files) {
            if (file != null) {
                file.close();
            }
        }
    }
}
