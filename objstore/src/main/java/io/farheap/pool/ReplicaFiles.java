package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.DiskFile;
import io.farheap.memory.ImageDisk;
import io.farheap.memory.MappedImage;
import io.farheap.memory.MappedImage.Access;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.memory.Persistence;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSetRules;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The part files of one local replica: open, locked, mapped into one image. The headers of later
 * parts lie outside the image and are mapped by themselves.
 *
 * <p>Used by one thread. Files that were created here and not {@link #keep kept} are removed by
 * {@link #close}, and existing ones get their zero header page back.
 */
final class ReplicaFiles implements AutoCloseable {
    private Access access;
    private final long mostBytes;
    private final List<NativeFile> files = new ArrayList<>();
    private final List<Path> created = new ArrayList<>();
    private final List<MappedImage> laterHeaders = new ArrayList<>();
    private final List<PoolHeader> headers = new ArrayList<>();
    private PoolSet set;
    private LocalReplica replica;
    private MappedImage image;

    /** The first header by itself, where stores in the image reach no file; else null. */
    private MappedImage firstHeader;

    /** The files as a disk has them, where a disk journal writes them; else null. */
    private ImageDisk disk;

    private NativeFile nextPart;
    private boolean formatted;
    private String journalFault;

    private ReplicaFiles(PoolSet set, LocalReplica replica, Access access, long mostBytes) {
        this.set = set;
        this.replica = replica;
        this.access = access;
        this.mostBytes = mostBytes;
    }

    /**
     * Opens, locks and maps what exists. Nothing is changed; but what a killed process stored and
     * did not flush is durable from here on: what is recovered relies on it.
     *
     * @param mostBytes what its image may have once it has grown; 0: it does not grow
     */
    static ReplicaFiles open(PoolSet set, LocalReplica replica, Access access, long mostBytes) {
        return open(set, replica, access, mostBytes, true);
    }

    /** As {@link #open}, copy on write, where the caller has the locks. */
    static ReplicaFiles openLocked(PoolSet set, LocalReplica replica) {
        return open(set, replica, Access.PRIVATE, 0, false);
    }

    /** As {@link #open}, to look at what another process, which has the locks, stores. */
    static ReplicaFiles openToRead(PoolSet set, LocalReplica replica) {
        return open(set, replica, Access.READ_ONLY, 0, false);
    }

    private static ReplicaFiles open(
            PoolSet set, LocalReplica replica, Access access, long mostBytes, boolean lock) {
        ReplicaFiles opened = new ReplicaFiles(set, replica, access, mostBytes);
        try {
            for (Part part : replica.parts()) {
                opened.openPart(part, lock);
            }
            opened.map();
            if (access == Access.SHARED) {
                opened.image.syncPages();
            }
            return opened;
        } catch (Throwable e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    /**
     * Creates missing parts; existing ones must be empty.
     *
     * @param options which of them get all their space on the medium
     */
    static ReplicaFiles create(
            PoolSet set, LocalReplica replica, long mostBytes, CreateOptions options) {
        ReplicaFiles made = new ReplicaFiles(set, replica, Access.SHARED, mostBytes);
        try {
            for (Part part : replica.parts()) {
                made.createPart(part, options);
            }
            made.map();
            for (int i = 0; i < made.headers.size(); i++) {
                made.requireZero(made.headers.get(i), made.path(i));
            }
            return made;
        } catch (Throwable e) {
            made.closeAfter(e);
            throw e;
        }
    }

    private void openPart(Part part, boolean lock) {
        requireFile(part);
        NativeFile file =
                access == Access.PRIVATE || access == Access.READ_ONLY
                        ? NativeFile.openReadOnly(part.path())
                        : NativeFile.open(part.path());
        files.add(file);
        if (lock) {
            file.lock();
        }
        requireSize(part, file.size());
    }

    private static void requireFile(Part part) {
        if (part.kind() == Part.Kind.DIRECTORY) {
            throw FarheapException.wrongUse(
                    "%s is a directory: name part files in the set of a replica that"
                            + " belongs to a pool elsewhere",
                    part.path());
        }
        boolean special = Files.exists(part.path()) && !Files.isRegularFile(part.path());
        if (part.kind() == Part.Kind.DEVICE_DAX || special) {
            throw FarheapException.wrongUse(
                    "%s is not a regular file: only part files are supported", part.path());
        }
    }

    private static void requireSize(Part part, long size) {
        if (size != part.size()) {
            throw FarheapException.badData(
                    "file size does not match config: %s, %s != %s%s",
                    part.path(),
                    size,
                    part.size(),
                    size == 0
                            ? ": left of a creation that was cut? farheap create -f removes it"
                            : "");
        }
        if (size < PoolSetRules.MIN_PART_BYTES) {
            throw FarheapException.badData(
                    "%s: size %s smaller than %s", part.path(), size, PoolSetRules.MIN_PART_BYTES);
        }
    }

    private void createPart(Part part, CreateOptions options) {
        requireFile(part);
        if (Files.exists(part.path(), LinkOption.NOFOLLOW_LINKS)) {
            openPart(part, true);
            if (options.allocated()) {
                files.get(files.size() - 1).allocate(part.size());
            }
            return;
        }
        NativeFile file = NativeFile.create(part.path());
        created.add(part.path());
        files.add(file);
        file.lock();
        if (options.fillsUp() && file.isAllocatedByWriting(set.poolSize())) {
            file.truncate(part.size());
        } else {
            file.allocate(part.size());
        }
    }

    private void requireZero(PoolHeader header, Path path) {
        if (!header.isZero()) {
            throw FarheapException.wrongUse(
                    "Non-empty file detected: %s holds something already, and is left as"
                            + " it is: name another file",
                    path);
        }
    }

    /** One more map of the image, whose stores reach no file. */
    MappedImage copyOnWrite() {
        return MappedImage.map(shares(), Access.PRIVATE);
    }

    private List<Share> shares() {
        List<Share> shares = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            shares.add(new Share(files.get(i), set.imageStart(i), set.imageSize(replica, i)));
        }
        return shares;
    }

    /** What its image may have once it has grown; 0: it does not grow. */
    long mostBytes() {
        return mostBytes;
    }

    /** Maps the same files anew: from here on a disk journal is to write them. */
    void mapJournaled() {
        image.close();
        laterHeaders.forEach(MappedImage::close);
        laterHeaders.clear();
        headers.clear();
        access = Access.JOURNALED;
        map();
    }

    private void map() {
        image = mappedImage();
        Access ofHeaders = isJournaled() ? Access.SHARED : access;
        if (isJournaled()) {
            firstHeader = MappedImage.map(List.of(headerPage(0)), ofHeaders);
        }
        MemorySegment first = firstHeader == null ? image.segment() : firstHeader.segment();
        headers.add(new PoolHeader(first.asSlice(0, PoolHeader.SIZE)));
        for (int i = 1; i < files.size(); i++) {
            if (set.hasHeader(i)) {
                laterHeaders.add(MappedImage.map(List.of(headerPage(i)), ofHeaders));
                headers.add(new PoolHeader(laterHeaders.get(i - 1).segment()));
            }
        }
    }

    private MappedImage mappedImage() {
        try {
            return MappedImage.map(shares(), access, mostBytes);
        } catch (FarheapException e) {
            // A system may have no memory for what is private, and all for what is the files'.
            throw isJournaled() ? new NoDiskJournalException(e) : e;
        }
    }

    private Share headerPage(int part) {
        return new Share(files.get(part), 0, PoolHeader.SIZE);
    }

    /** Whether a disk journal brings what is stored in the image to the files. */
    boolean isJournaled() {
        return access == Access.JOURNALED;
    }

    /** The files as a disk has them. */
    DiskFile disk() {
        if (disk == null) {
            disk = new ImageDisk(shares());
        }
        return disk;
    }

    /** Those of its files that have a header, which is their first page. */
    List<NativeFile> filesWithHeader() {
        return IntStream.range(0, files.size())
                .filter(i -> i == 0 || set.hasHeader(i))
                .mapToObj(files::get)
                .toList();
    }

    /** How stores in its first header become durable. */
    Persistence headerPersistence() {
        return (firstHeader == null ? image : firstHeader).persistence();
    }

    /**
     * Makes the file of one more part: whole, zero and durable before it has its name, so that a
     * crash leaves a part or none. Nobody uses it before {@link #showNextPart}.
     */
    void makeNextPart(Part part) {
        Path path = part.path();
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw FarheapException.environment(
                    "%s is in the way of the pool's next part: move it away", path);
        }
        Path unfinished = path.resolveSibling("." + path.getFileName() + ".unfinished");
        boolean unused = NativeFile.delete(unfinished);
        nextPart = NativeFile.create(unfinished);
        nextPart.lock();
        nextPart.allocate(part.size());
        nextPart.setMode(CreateOptions.DEFAULT_MODE);
        nextPart.sync();
        nextPart = nextPart.rename(path);
        NativeFile.syncDirectory(path.getParent());
    }

    /** Maps it behind the others. */
    void mapNextPart(long bytes) {
        image.append(new Share(nextPart, 0, bytes));
    }

    /** It belongs to the pool from now on. */
    void showNextPart(long bytes, PoolSet longer, LocalReplica self) {
        image.extend(bytes);
        files.add(nextPart);
        if (disk != null) {
            disk.append(new Share(nextPart, 0, bytes));
        }
        nextPart = null;
        set = longer;
        replica = self;
    }

    /** Removes it, as far as it was made. */
    void dropNextPart() {
        if (nextPart != null) {
            NativeFile dropped = nextPart;
            nextPart = null;
            try {
                remove(dropped.path());
            } finally {
                dropped.close();
            }
        }
    }

    /** The headers of its parts: one each, or that of part 0 alone. */
    List<PoolHeader> headers() {
        return headers;
    }

    /** Whether one of its headers has the mark of a disk journal. */
    boolean isMarked() {
        return headers.stream().anyMatch(PoolHeader::isMarked);
    }

    /** One of its headers that has the mark of a disk journal. */
    PoolHeader markedHeader() {
        return headers.stream().filter(PoolHeader::isMarked).findFirst().orElseThrow();
    }

    /** Its files are looked at as they are, without what a disk journal has. */
    void journalCannotBeRead(String sentence) {
        journalFault = sentence;
    }

    /** Why its disk journal can't be read, which is needed; else null. */
    String journalFault() {
        return journalFault;
    }

    MappedImage image() {
        return image;
    }

    List<Path> paths() {
        return replica.parts().stream().map(Part::path).toList();
    }

    Path path(int part) {
        return replica.parts().get(part).path();
    }

    /** When part {@code index} last changed its status, in seconds since 1970. */
    long changedSeconds(int index) {
        try {
            String which =
                    path(index).getFileSystem().supportedFileAttributeViews().contains("unix")
                            ? "unix:ctime"
                            : "lastModifiedTime"; // nothing is nearer to it
            Object time = Files.getAttribute(path(index), which);
            return ((java.nio.file.attribute.FileTime) time).toMillis() / 1000;
        } catch (IOException e) {
            throw FarheapException.environment(
                    e, "cannot look at %s: %s", path(index), e.getMessage());
        }
    }

    /** From here on {@link #close} without {@link #keep} must wipe headers of existing files. */
    void formatting() {
        formatted = true;
    }

    /** Makes the headers durable. */
    void persistHeaders() {
        image.persistence().flush(0, PoolHeader.SIZE);
        image.persistence().fence();
        for (MappedImage header : laterHeaders) {
            header.persistence().flush(0, PoolHeader.SIZE);
            header.persistence().fence();
        }
    }

    /**
     * Waits until the content and the names of the files are on the medium; then anybody may use
     * them.
     */
    void complete(int mode) {
        for (NativeFile file : files) {
            file.sync();
            if (created.contains(file.path())) {
                file.setMode(mode);
                file.sync();
            }
        }
        created.stream().map(Path::getParent).distinct().forEach(NativeFile::syncDirectory);
    }

    /** The files are a pool's now. */
    void keep() {
        created.clear();
        formatted = false;
    }

    /**
     * Unmaps, unlocks and closes; undoes what was not kept. Whatever fails, the rest is done.
     * Idempotent.
     *
     * @throws FarheapException what failed first; WRONG_USE while a channel uses the image: all is
     *     as it was then, and this can be called again
     */
    @Override
    public void close() {
        RuntimeException failure = formatted ? after(null, this::wipeHeaders) : null;
        if (image != null) {
            failure = after(failure, image::close);
            if (image.isMapped()) {
                throw failure;
            }
        }
        if (firstHeader != null) {
            failure = after(failure, firstHeader::close);
        }
        for (MappedImage header : laterHeaders) {
            failure = after(failure, header::close);
        }
        // Removed before the lock goes: nobody can have opened a half-made file.
        for (Path path : created) {
            failure = after(failure, () -> remove(path));
        }
        created.clear();
        for (NativeFile file : files) {
            failure = after(failure, file::close);
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Does it; what failed first, or null. */
    private static RuntimeException after(RuntimeException earlier, Runnable step) {
        try {
            step.run();
            return earlier;
        } catch (RuntimeException e) {
            if (earlier == null) {
                return e;
            }
            earlier.addSuppressed(e);
            return earlier;
        }
    }

    private void wipeHeaders() {
        formatted = false;
        if (!image.isMapped()) { // it could not be mapped anew
            MemorySegment zeros = MemorySegment.ofArray(new byte[(int) PoolHeader.SIZE]);
            for (NativeFile file : filesWithHeader()) {
                file.write(zeros, 0);
                file.sync();
            }
            return;
        }
        MappedImage first = firstHeader == null ? image : firstHeader;
        first.segment().asSlice(0, PoolHeader.SIZE).fill((byte) 0);
        laterHeaders.forEach(header -> header.segment().fill((byte) 0));
        first.syncPages(); // which asks anew where a fence has failed
        laterHeaders.forEach(MappedImage::syncPages);
    }

    /** Removes a file that no pool uses, durably. */
    static void remove(Path path) {
        boolean unused = NativeFile.delete(path);
        NativeFile.syncDirectory(path.getParent());
    }

    void closeAfter(Throwable cause) {
        try {
            close();
        } catch (Throwable e) {
            cause.addSuppressed(e);
        }
    }
}
