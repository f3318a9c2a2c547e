package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.memory.MappedImage.Share;
import io.farheap.memory.NativeFile;
import io.farheap.poolset.Part;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * The file of one more part by which a replica grows. A crash leaves a part or none; a growth that
 * fails in another replica takes it back. Nobody uses it before it was {@linkplain #take taken}.
 */
final class NextPart {
    private NativeFile file;

    /** Makes the file: whole, zero and durable before it has its name. */
    void make(Part part) {
        Path path = part.path();
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            throw FarheapException.environment(
                    "%s is in the way of the pool's next part: move it away", path);
        }
        Path unfinished = path.resolveSibling("." + path.getFileName() + ".unfinished");
        boolean unused = NativeFile.delete(unfinished);
        file = NativeFile.create(unfinished);
        file.lock();
        file.allocate(part.size());
        file.setMode(CreateOptions.DEFAULT_MODE);
        file.sync();
        file = file.rename(path);
        NativeFile.syncDirectory(path.getParent());
    }

    /** As it is to be mapped. */
    Share share(long bytes) {
        return new Share(file, 0, bytes);
    }

    /** It belongs to the pool from now on, and to the caller. */
    NativeFile take() {
        NativeFile taken = file;
        file = null;
        return taken;
    }

    /** Removes it, as far as it was made. */
    void drop() {
        if (file != null) {
            NativeFile dropped = file;
            file = null;
            try {
                PartFiles.remove(dropped.path());
            } finally {
                dropped.close();
            }
        }
    }
}
