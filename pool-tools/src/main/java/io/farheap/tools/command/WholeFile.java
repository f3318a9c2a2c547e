package io.farheap.tools.command;

import io.farheap.base.FarheapException;
import io.farheap.memory.NativeFile;
import io.farheap.pool.UnfinishedFiles;
import java.nio.file.Path;

/** A small file that is there as a whole or not at all, whenever the machine stops. */
public final class WholeFile {
    private static final String UNFINISHED = ".farheap-unfinished";
    private static final int READABLE = 0666;

    private WholeFile() {}

    /** Writes it, durably; one that is there is replaced. On failure that one is as it was. */
    public static void write(Path file, byte[] bytes) {
        Path draft = file.resolveSibling(file.getFileName() + UNFINISHED);
        try (NativeFile out = NativeFile.openOrCreate(draft, READABLE)) {
            out.replace(bytes);
            out.sync();
            NativeFile.rename(draft, file);
        } catch (FarheapException e) {
            UnfinishedFiles.deleteAfter(draft, e);
            throw e;
        }
        NativeFile.syncDirectory(file.getParent());
    }

    /** Removes it, durably. */
    public static void delete(Path file) {
        if (NativeFile.delete(file)) {
            NativeFile.syncDirectory(file.getParent());
        }
    }
}
