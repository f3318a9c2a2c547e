package io.farheap.memory;

import static io.farheap.memory.DiskJournalLayout.MOST_BLOCK;
import static io.farheap.memory.DiskJournalLayout.RING;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * A disk journal as a file: superblocks, and batches in a ring that are whole or not there
 * (docs/format.md#disk-journal). Used by one thread at a time, but that {@link #checkpoint} may go
 * beside {@link #append}.
 */
public final class DiskJournalFile {
    private static final int USUAL = 0;

    /** Of a journal that has nothing: made, and no pool was opened with it. */
    public static final long NO_ID = 0;

    /** Where else one may lie that is missed; behind "put it back". */
    public static final String BESIDE_LINK =
            " (or, if the pool was opened by another name of its first part, a link, farheap"
                    + " recover with that name: it may lie beside that)";

    private final Object place;
    private final DiskFile file;
    private final JournalGeometry geometry;
    private final JournalSuperblock superblock;

    /** For what says that nothing more is before the ring's end. */
    private final JournalBatch filler;

    /** The batch after the last that is written goes here, at the earliest. */
    private long end;

    private DiskJournalFile(
            Object place, DiskFile file, JournalGeometry geometry, JournalSuperblock superblock) {
        this.place = place;
        this.file = file;
        this.geometry = geometry;
        this.superblock = superblock;
        this.filler = new JournalBatch(geometry.blockBytes());
    }

    /**
     * Makes a file of zeros of the right size a journal, durably.
     *
     * @param place what errors call it
     * @param owner 32 bytes: the uuids of the pool and of the part that it lies beside
     * @param id {@link #NO_ID}, or what marked headers say of it
     */
    public static DiskJournalFile format(
            Object place,
            DiskFile file,
            JournalGeometry geometry,
            byte[] owner,
            long id,
            long nonce,
            long imageBytes) {
        JournalSuperblock superblock = JournalSuperblock.first(file, geometry, owner, id);
        superblock.setImageBytes(imageBytes);
        DiskJournalFile made = new DiskJournalFile(place, file, geometry, superblock);
        made.restart(0, nonce);
        return made;
    }

    /**
     * The journal of a pool in a file.
     *
     * @return empty where no superblock is valid
     * @throws FarheapException BAD_DATA where a newer version made it
     */
    public static Optional<DiskJournalFile> open(Object place, DiskFile file) {
        return open(place, file, USUAL);
    }

    /**
     * As above, of one that is not as {@link JournalGeometry#ofRing} makes them.
     *
     * @param batchBytes what its batches have at most
     */
    static Optional<DiskJournalFile> open(Object place, DiskFile file, int batchBytes) {
        JournalSuperblock current = JournalSuperblock.newest(place, file).orElse(null);
        JournalGeometry geometry = current == null ? null : geometry(current, batchBytes);
        if (geometry == null) {
            return Optional.empty();
        }
        DiskJournalFile opened = new DiskJournalFile(place, file, geometry, current);
        opened.end = opened.checkpointPosition();
        return Optional.of(opened);
    }

    private static JournalGeometry geometry(JournalSuperblock block, int batchBytes) {
        try {
            long ring = block.ringBytes();
            int batch = batchBytes == USUAL ? JournalGeometry.batchOf(ring) : batchBytes;
            return new JournalGeometry(ring, batch, block.blockBytes());
        } catch (IllegalArgumentException impossible) {
            return null; // a valid checksum over what no version writes
        }
    }

    Object place() {
        return place;
    }

    /** What does not change in its life. */
    public JournalGeometry geometry() {
        return geometry;
    }

    /** The uuids of the pool and of the part that it lies beside. */
    public byte[] owner() {
        return superblock.owner();
    }

    /** What the mark in the pool's headers says, too. */
    public long id() {
        return superblock.id();
    }

    /** Has another id from the next superblock on that is written. */
    void takeId(long id) {
        superblock.setId(id);
    }

    /** The pool was closed, durably: no header of it is marked. So is this when it returns. */
    void release() {
        superblock.setReleased(true);
        superblock.write();
    }

    /**
     * Whether no file anywhere can need it: it was made, or its pool closed, and none opened since.
     */
    public boolean isReleased() {
        return id() == NO_ID || superblock.isReleased();
    }

    /** Is for an image of another size from the next superblock on that is written. */
    void takeImageBytes(long bytes) {
        superblock.setImageBytes(bytes);
    }

    /** The size of the image that it is for. */
    public long imageBytes() {
        return superblock.imageBytes();
    }

    /** Whether what must be durable at once is written past the page cache. */
    public boolean isDirect() {
        return file.isDirect();
    }

    /** What its file has. */
    public long fileBytes() {
        return geometry.fileBytes();
    }

    /** What its ring has. */
    public long ringBytes() {
        return geometry.ringBytes();
    }

    /** Everything before it is in the pool files. */
    long checkpointPosition() {
        return superblock.checkpoint();
    }

    long nonce() {
        return superblock.nonce();
    }

    /** Whether both have the batches of one life of the pool. */
    public boolean isOfLifeOf(DiskJournalFile other) {
        return nonce() == other.nonce();
    }

    /** Where the next batch goes, at the earliest; of a journal that was read, where it ends. */
    public long end() {
        return end;
    }

    /** How many of its bytes are not in the pool files yet, as far as it was read. */
    public long bytesBehindCheckpoint() {
        return end - checkpointPosition();
    }

    /**
     * Reads to where it ends, and changes nothing.
     *
     * @throws FarheapException BAD_DATA where a whole batch names what is not inside the image
     */
    public void readThrough() {
        long unused = replay(Entries.NONE);
    }

    /**
     * What lies behind the place where recovery would end, after {@link #readThrough}.
     *
     * @param furthest the journal that reaches furthest, which may be this one
     * @return null where nothing does, as it is after any crash
     */
    public JournalHole holeBehind(DiskJournalFile furthest) {
        return isOfLifeOf(furthest) ? JournalHole.behind(this, furthest.end()) : null;
    }

    /** Reads what the ring has of a range, at most a batch's bytes and not round its end. */
    long readRing(MemorySegment to, long position, long atMost) {
        long length = Math.min(to.byteSize(), Math.min(atMost, bytesToRingEnd(position)));
        return file.read(to, 0, length, offset(position));
    }

    /**
     * Whether somebody has gone on with it since it was read: who looks at the journal of a pool
     * that is open reads it while others write.
     */
    boolean isWrittenTo() {
        JournalBatch next = new JournalBatch(geometry.batchBytes());
        long left = bytesToRingEnd(end);
        if (next.read(file, offset(end), left, nonce(), end, geometry.blockBytes())) {
            return true;
        }
        long read = superblock.sequence();
        return open(place, file, geometry.batchBytes())
                .map(now -> now.superblock.sequence() != read)
                .orElse(true);
    }

    /**
     * Brings an image in memory to where the journal ends.
     *
     * @param image from the pool's first byte on; what lies behind its end is left out
     * @throws FarheapException as {@link #readThrough}
     */
    public void replayTo(MemorySegment image) {
        long unused =
                replay(
                        (source, at, length, offset) -> {
                            long there = Math.min(length, image.byteSize() - offset);
                            if (there > 0) {
                                MemorySegment.copy(source, at, image, offset, there);
                            }
                        });
    }

    /** Everything before a position is in the pool files, durably: so is this when it returns. */
    void checkpoint(long position) {
        superblock.setCheckpoint(position);
        superblock.write();
    }

    /**
     * The same, and no batch that was ever written counts any more.
     *
     * @param nonce of those to come: never used in this journal before
     */
    void restart(long position, long nonce) {
        superblock.setNonce(nonce);
        superblock.setReleased(false);
        checkpoint(position);
        end = position;
    }

    /** Whether it is of another life than {@code other}, and ends before that one begins. */
    boolean isBefore(DiskJournalFile other) {
        return nonce() != other.nonce() && end < other.checkpointPosition();
    }

    /**
     * Writes the superblock that was found once more, the same bytes. After a sync that failed it
     * may be in the page cache alone, and the next one goes to the place of the only one that the
     * disk has: torn there, it would leave none.
     */
    void rewriteSuperblock() {
        superblock.writeInItsPlace();
    }

    long offset(long position) {
        return RING + position % geometry.ringBytes();
    }

    private long bytesToRingEnd(long position) {
        return geometry.ringBytes() - position % geometry.ringBytes();
    }

    /** Writes a batch behind the last one; durable when it returns. */
    void append(JournalBatch batch) {
        int block = geometry.blockBytes();
        if (batch.length(block) > bytesToRingEnd(end)) {
            int length = filler.sealFiller(nonce(), end, block);
            file.writeDurably(filler.bytes(), 0, length, offset(end));
            end += bytesToRingEnd(end);
        }
        int length = batch.seal(nonce(), end, block);
        file.writeDurably(batch.bytes(), 0, length, offset(end));
        end += length;
    }

    /** What is done with each entry of the journal. */
    @FunctionalInterface
    interface Entries {
        Entries NONE = (source, at, length, imageOffset) -> {};

        void entry(MemorySegment source, long at, long length, long imageOffset);
    }

    /**
     * Goes through the batches behind the checkpoint as long as they are whole.
     *
     * @return the position where they end
     * @throws FarheapException BAD_DATA where a whole one names what is not inside the image
     */
    long replay(Entries entries) {
        JournalBatch batch = new JournalBatch(geometry.batchBytes());
        long from = checkpointPosition();
        long position = from;
        boolean whole = from >= 0 && from % geometry.blockBytes() == 0;
        while (whole) {
            long left = Math.min(bytesToRingEnd(position), from + ringBytes() - position);
            whole =
                    left > 0
                            && batch.read(
                                    file,
                                    offset(position),
                                    left,
                                    nonce(),
                                    position,
                                    geometry.blockBytes());
            if (whole && batch.isFiller()) {
                position += bytesToRingEnd(position);
            } else if (whole) {
                batch.forEach(imageBytes(), place, entries::entry);
                position += batch.length(geometry.blockBytes());
            }
        }
        end = position;
        return position;
    }

    /**
     * Writes what lies between the checkpoint and {@link #end} once more, the same bytes, and syncs
     * it: it may be in the page cache alone, and the kernel take it for written where a sync has
     * failed. Those of the others that have the same life get it, too; what they lack in order, as
     * a leader writes it: else a crash could leave a later batch there without an earlier one.
     */
    void rewrite(List<DiskJournalFile> all) {
        List<DiskJournalFile> alike = all.stream().filter(this::isOfLifeOf).toList();
        MemorySegment piece = Arena.ofAuto().allocate(geometry.batchBytes(), MOST_BLOCK);
        long position = checkpointPosition();
        while (position < end) {
            long length = readRing(piece, position, end - position);
            for (DiskJournalFile each : alike) {
                if (each.end < position + length) {
                    each.file.writeDurably(piece, 0, length, offset(position));
                } else {
                    each.file.write(piece, 0, length, offset(position));
                }
            }
            position += length;
        }
        alike.forEach(each -> each.file.sync());
    }
}
