package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.check.OpeningCheck;
import io.farheap.layout.Descriptor;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.survey.NotClosed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A pool that nobody has open, locked and mapped so that nothing reaches its files. */
final class ClosedImage implements PoolImage {
    private final PoolFiles files;
    private final BackupHeader.State state;

    private ClosedImage(PoolFiles files, BackupHeader.State state) {
        this.files = files;
        this.state = state;
    }

    /**
     * @throws io.farheap.base.FarheapException ENVIRONMENT where somebody has it, BAD_DATA where it
     *     could not be opened
     */
    static ClosedImage open(PoolSource source, PoolSet set) {
        PoolFiles files = opened(source); // first: it says which copy is left of a lost part
        try {
            return new ClosedImage(
                    files,
                    NotClosed.isIn(set)
                            ? BackupHeader.State.NOT_CLOSED
                            : BackupHeader.State.CLOSED);
        } catch (Throwable e) {
            files.close();
            throw e;
        }
    }

    private static PoolFiles opened(PoolSource source) {
        try {
            return PoolFiles.openPrivate(source, null, new OpeningCheck());
        } catch (FarheapException e) {
            boolean named = e.getMessage().contains(source.path().toString());
            throw named || e.category() != FarheapException.Category.BAD_DATA
                    ? e
                    : FarheapException.badData(
                            e, "%s: %s; no backup was made", source.path(), e.getMessage());
        }
    }

    @Override
    public long size() {
        return files.memory().size();
    }

    @Override
    public void read(long offset, byte[] to, int length) {
        files.memory().copyOut(offset, MemorySegment.ofArray(to), 0, length);
    }

    @Override
    public byte[] poolHeader() {
        return files.headerTemplate().toArray(ValueLayout.JAVA_BYTE);
    }

    @Override
    public long runId() {
        return new Descriptor(files.memory()).runId();
    }

    @Override
    public long commits() {
        return -1;
    }

    @Override
    public BackupHeader.State state() {
        return state;
    }

    @Override
    public void close() {
        files.close();
    }
}
