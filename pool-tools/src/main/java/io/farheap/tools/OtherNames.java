package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.layout.PoolHeader;
import io.farheap.pool.JournalLook;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What stays of a pool's file when one of its names goes. */
final class OtherNames {
    private final boolean any;

    /** Null where nobody asked, or it can't be read. */
    private final PoolHeader header;

    private OtherNames(boolean any, PoolHeader header) {
        this.any = any;
        this.header = header;
    }

    static OtherNames of(Path name) throws IOException {
        boolean any =
                Files.isSymbolicLink(name) || (int) Files.getAttribute(name, "unix:nlink") > 1;
        return new OtherNames(any, any ? header(name) : null);
    }

    private static PoolHeader header(Path name) throws IOException {
        try {
            PoolHeader header = PoolHeaders.read(name);
            return header.signature().equals(PoolHeader.SIGNATURE) ? header : null;
        } catch (FarheapException cutOff) {
            return null;
        }
    }

    /** Whether there are others, by which the file stays. */
    boolean isAny() {
        return any;
    }

    /** Whether the file lacks what is in a disk journal. */
    boolean isMarked() {
        return header != null && header.isMarked();
    }

    /**
     * Whether a disk journal beside this name is one that neither the file nor any other needs, as
     * the name may have been another file's before.
     */
    boolean isOfNoUse(Path journal) {
        return header != null && !header.isMarked() && JournalLook.isOfNoUse(journal, header);
    }
}
