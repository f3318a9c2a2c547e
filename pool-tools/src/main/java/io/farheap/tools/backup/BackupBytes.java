package io.farheap.tools.backup;

import io.farheap.memory.NativeFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** The bytes of a backup's file, none of which may be missing. */
record BackupBytes(NativeFile file) {
    Path path() {
        return file.path();
    }

    /**
     * Fills the first {@code length} bytes of an array.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA where the file ends before
     */
    void read(byte[] to, int length, long offset) {
        MemorySegment target = MemorySegment.ofArray(to).asSlice(0, length);
        if (file.read(target, offset) < length) {
            throw BackupHeader.damaged(path(), "it ends too early, it was cut off");
        }
    }
}
