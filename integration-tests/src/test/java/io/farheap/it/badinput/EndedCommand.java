package io.farheap.it.badinput;

import io.farheap.memory.SystemCalls;
import io.farheap.tools.Main;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The farheap command, which is told to end before one of its renames, or before the first sync
 * after one, and does nothing more until it has: {@code CALL NUMBER WORD...}.
 */
final class EndedCommand extends SystemCalls {
    private static final int AS_TOLD = 143;

    private final SystemCalls kernel = SystemCalls.current();
    private final boolean atSync;
    private final int last;
    private int renames;

    private EndedCommand(boolean atSync, int last) {
        this.atSync = atSync;
        this.last = last;
    }

    public static void main(String[] args) {
        install(new EndedCommand(args[0].equals("sync"), Integer.parseInt(args[1])));
        Main.main(Arrays.copyOfRange(args, 2, args.length));
    }

    private void end() {
        Thread.ofPlatform().start(() -> System.exit(AS_TOLD));
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public int rename(String from, String to) {
        if (++renames == last && !atSync) {
            end();
        }
        return kernel.rename(from, to);
    }

    @Override
    public int sync(int descriptor) {
        if (renames == last && atSync) {
            end();
        }
        return kernel.sync(descriptor);
    }

    @Override
    public int open(String path, int flags, int mode) {
        return kernel.open(path, flags, mode);
    }

    @Override
    public int close(int descriptor) {
        return kernel.close(descriptor);
    }

    @Override
    public long read(int descriptor, MemorySegment buffer, long offset) {
        return kernel.read(descriptor, buffer, offset);
    }

    @Override
    public long write(int descriptor, MemorySegment buffer, long offset) {
        return kernel.write(descriptor, buffer, offset);
    }

    @Override
    public int truncate(int descriptor, long size) {
        return kernel.truncate(descriptor, size);
    }

    @Override
    public int allocate(int descriptor, long offset, long length) {
        return kernel.allocate(descriptor, offset, length);
    }

    @Override
    public int setMode(int descriptor, int mode) {
        return kernel.setMode(descriptor, mode);
    }

    @Override
    public int setOwner(int descriptor, int user, int group) {
        return kernel.setOwner(descriptor, user, group);
    }

    @Override
    public int lock(int descriptor, int operation) {
        return kernel.lock(descriptor, operation);
    }

    @Override
    public long size(int descriptor) {
        return kernel.size(descriptor);
    }

    @Override
    public long map(
            long address, long length, int protection, int flags, int descriptor, long offset) {
        return kernel.map(address, length, protection, flags, descriptor, offset);
    }

    @Override
    public int unmap(long address, long length) {
        return kernel.unmap(address, length);
    }

    @Override
    public int syncPages(long address, long length) {
        return kernel.syncPages(address, length);
    }

    @Override
    public int residentPages(long address, long length, MemorySegment pages) {
        return kernel.residentPages(address, length, pages);
    }

    @Override
    public int dropPages(long address, long length) {
        return kernel.dropPages(address, length);
    }

    @Override
    public int unlink(String path) {
        return kernel.unlink(path);
    }

    @Override
    public Process start(List<String> command) throws IOException {
        return kernel.start(command);
    }
}
