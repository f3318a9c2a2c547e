package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A disk journal's file. What must be durable at once is written past the page cache where the file
 * system takes that, which is one trip to the device; else written and synced.
 */
public final class JournalDisk implements DiskFile, AutoCloseable {
    private NativeFile file;

    /** Null where the file system does not take it. */
    private NativeFile direct;

    private JournalDisk(NativeFile file) {
        this.file = file;
        this.direct = file.openDirect();
    }

    /** Of an open file, which it closes. */
    public static JournalDisk of(NativeFile file) {
        return new JournalDisk(file);
    }

    @Override
    public boolean isDirect() {
        return direct != null;
    }

    /** The file itself. */
    public NativeFile file() {
        return file;
    }

    /** Gives it another name in its directory; durable once the directory is synced. */
    public void rename(Path name) {
        file = file.rename(name);
    }

    @Override
    public long read(MemorySegment buffer, long at, long length, long offset) {
        return file.read(buffer.asSlice(at, length), offset);
    }

    @Override
    public void write(MemorySegment buffer, long at, long length, long offset) {
        file.write(buffer.asSlice(at, length), offset);
    }

    @Override
    public void sync() {
        file.syncData();
    }

    @Override
    public void writeDurably(MemorySegment buffer, long at, long length, long offset) {
        if (direct != null && writeDirectly(buffer.address() + at, length, offset)) {
            return;
        }
        long done = 0;
        while (done < length) {
            done += file.writeNow(buffer.address() + at + done, length - done, offset + done);
        }
        file.syncData();
    }

    /**
     * @return false: the file system takes the flag and no write by it, or wrote less: all of it is
     *     to be written otherwise
     */
    private boolean writeDirectly(long address, long length, long offset) {
        long written = direct.tryWriteNow(address, length, offset);
        if (written == -LibC.EINVAL) {
            NativeFile refused = direct;
            direct = null;
            refused.close();
            return false;
        }
        if (written < 0) {
            throw FarheapException.environment(
                    "cannot write %s: %s", file.path(), SystemError.of(written));
        }
        return written == length;
    }

    @Override
    public void close() {
        NativeFile last = direct;
        direct = null;
        try {
            if (last != null) {
                last.close();
            }
        } finally {
            file.close(); // and with it the lock
        }
    }
}
