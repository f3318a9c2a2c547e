package io.farheap.agent;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.replication.control.Reply.Code;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The locks of a copy's parts: while they are held, no program opens the pool. */
final class PartLocks implements AutoCloseable {
    private final List<NativeFile> locked = new ArrayList<>();

    /**
     * @param parts that are there
     * @param damaged whether one that can't be opened is passed over
     * @throws Refusal BUSY, naming what is in use
     */
    static PartLocks of(List<Path> parts, boolean damaged) {
        PartLocks locks = new PartLocks();
        try {
            parts.forEach(part -> locks.lock(part, damaged));
            return locks;
        } catch (RuntimeException e) {
            locks.close();
            throw e;
        }
    }

    private void lock(Path part, boolean damaged) {
        NativeFile opened;
        try {
            opened = NativeFile.open(part);
        } catch (FarheapException e) {
            if (damaged) {
                return;
            }
            throw inUse(e);
        }
        locked.add(opened);
        try {
            opened.lock();
        } catch (FarheapException e) {
            throw inUse(e);
        }
    }

    static Refusal inUse(FarheapException e) {
        return new Refusal(
                Code.BUSY,
                "Nothing was removed or changed: " + e.getMessage(),
                "On the target, end that program, or mend what keeps the file from being opened.",
                e);
    }

    @Override
    public void close() {
        locked.forEach(NativeFile::close);
    }
}
