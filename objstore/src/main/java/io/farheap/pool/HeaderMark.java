package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.memory.JournaledFiles;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The mark in a pool's headers that says that a disk journal has what the files lack, and which one
 * (docs/disk-journal.md): in all headers of all local replicas, one sector each. Whoever only wants
 * to know reads it without opening a journal.
 */
final class HeaderMark implements JournaledFiles.Mark {
    private static final int BLOCK = 4096;

    /** What the medium writes in one. */
    private static final long SECTOR = 512;

    private final List<ReplicaFiles> replicas;

    HeaderMark(List<ReplicaFiles> replicas) {
        this.replicas = replicas;
    }

    /** Whether one of the headers says that a journal is needed. */
    static boolean isMarked(List<ReplicaFiles> replicas) {
        return markedId(replicas) != 0;
    }

    /**
     * The id of the journal that marked headers name; 0: none is marked.
     *
     * @throws FarheapException BAD_DATA where they name different ones
     */
    static long markedId(List<ReplicaFiles> replicas) {
        long found = 0;
        for (ReplicaFiles replica : replicas) {
            for (PoolHeader header : replica.headers()) {
                if (header.isMarked() && found != 0 && header.journalId() != found) {
                    throw FarheapException.badData(
                            "%s was not closed, and its disk journal is another one (%s) than that"
                                    + " of %s (%s): one of them is a copy of an earlier time; put"
                                    + " the right one back; nothing was changed",
                            replica.path(0),
                            Long.toHexString(header.journalId()),
                            replicas.get(0).path(0),
                            Long.toHexString(found));
                }
                found = header.isMarked() ? header.journalId() : found;
            }
        }
        return found;
    }

    /** The same of a pool that is not open; parts that can't be read tell of nothing. */
    static boolean isNeeded(PoolSet set) {
        return set.localReplicas().stream()
                .flatMap(replica -> replica.parts().stream())
                .map(Part::path)
                .anyMatch(HeaderMark::isMarked);
    }

    /** The same of one part file. */
    static boolean isMarked(Path part) {
        PoolHeader header = header(part);
        return header != null && header.isMarked();
    }

    /** The header of a part; null where it has none or can't be read. */
    static PoolHeader header(Path part) {
        if (!Files.isRegularFile(part)) {
            return null;
        }
        MemorySegment page = MemorySegment.ofArray(new byte[BLOCK]);
        try (NativeFile file = NativeFile.openReadOnly(part)) {
            PoolHeader header = new PoolHeader(page);
            return file.read(page, 0) == BLOCK && header.hasSignature() ? header : null;
        } catch (FarheapException unreadable) {
            return null; // opening says that better
        }
    }

    @Override
    public long journalId() {
        return markedId(replicas);
    }

    @Override
    public boolean isEverywhere() {
        return replicas.stream()
                .flatMap(replica -> replica.headers().stream())
                .allMatch(PoolHeader::isMarked);
    }

    @Override
    public void set(long journalId) {
        change(header -> header.mark(journalId));
    }

    @Override
    public void clear() {
        change(PoolHeader::clearMark);
    }

    private void change(Consumer<PoolHeader> how) {
        for (ReplicaFiles replica : replicas) {
            for (NativeFile file : replica.filesWithHeader()) {
                MemorySegment page = MemorySegment.ofArray(new byte[BLOCK]);
                long unused = file.read(page, 0);
                how.accept(new PoolHeader(page));
                // Written, not stored into the mapping: the medium must not get half of it.
                file.write(page.asSlice(0, SECTOR), 0);
                file.syncData();
            }
        }
    }
}
