package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
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
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
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
    private final PartFiles files = new PartFiles();
    private final NextPart nextPart = new NextPart();
    private final List<MappedImage> laterHeaders = new ArrayList<>();
    private final List<PoolHeader> headers = new ArrayList<>();
    private PoolSet set;
    private LocalReplica replica;
    private MappedImage image;

    /** The first header by itself, where stores in the image reach no file; else null. */
    private MappedImage firstHeader;

    /** The files as a disk has them, where a disk journal writes them; else null. */
    private ImageDisk disk;

    private boolean formatted;
    private boolean kept;
    private boolean removed;
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
                opened.files.open(part, isReadOnly(access), lock);
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
                made.files.create(part, options, set.poolSize());
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

    private static boolean isReadOnly(Access access) {
        return access == Access.PRIVATE || access == Access.READ_ONLY;
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
        for (int i = 0; i < files.count(); i++) {
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
        for (int i = 1; i < files.count(); i++) {
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
        return IntStream.range(0, files.count())
                .filter(i -> i == 0 || set.hasHeader(i))
                .mapToObj(files::get)
                .toList();
    }

    /** How stores in its first header become durable. */
    Persistence headerPersistence() {
        return (firstHeader == null ? image : firstHeader).persistence();
    }

    /** Makes the file of one more part; nobody uses it before {@link #showNextPart}. */
    void makeNextPart(Part part) {
        nextPart.make(part);
    }

    /** Maps it behind the others. */
    void mapNextPart(long bytes) {
        image.append(nextPart.share(bytes));
    }

    /** It belongs to the pool from now on. */
    void showNextPart(long bytes, PoolSet longer, LocalReplica self) {
        image.extend(bytes);
        if (disk != null) {
            disk.append(nextPart.share(bytes));
        }
        files.add(nextPart.take());
        set = longer;
        replica = self;
    }

    /** Removes it, as far as it was made. */
    void dropNextPart() {
        nextPart.drop();
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
        files.complete(mode);
    }

    /** The files are a pool's now. */
    void keep() {
        files.keep();
        kept = true;
    }

    /**
     * Takes {@link #keep} back, before anybody else can have opened the files: those that were made
     * here go at once, and existing ones get their zero header page back at {@link #close}.
     */
    void remove(AllSteps steps) {
        kept = false;
        removed = true;
        files.remove(steps);
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
        AllSteps steps = new AllSteps();
        if (formatted && !kept) {
            steps.run(this::wipeHeaders);
        }
        if (image != null) {
            steps.run(image::close);
            if (image.isMapped()) {
                steps.end();
            }
        }
        if (firstHeader != null) {
            steps.run(firstHeader::close);
        }
        for (MappedImage header : laterHeaders) {
            steps.run(header::close);
        }
        files.close(steps);
        steps.end();
    }

    private void wipeHeaders() {
        formatted = false;
        if (removed) { // the pool has a number by now: with that it would pass for somebody's
            files.get(0).write(MemorySegment.ofArray(new byte[Long.BYTES]), Descriptor.RUN_ID);
            files.get(0).sync();
        }
        if (!image.isMapped() || isJournaled()) { // not all headers may be mapped
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

    void closeAfter(Throwable cause) {
        try {
            close();
        } catch (Throwable e) {
            cause.addSuppressed(e);
        }
    }
}
