package io.farheap.testing;

import io.farheap.memory.SystemCalls;
import io.farheap.memory.SystemError;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;

/**
 * A disk that fails when it is told to: for tests of code that persists, ours and that of others.
 *
 * <p>From {@link #under} to {@link #close} every system call of this process that concerns a file
 * under one directory, or starts a program there, is counted, and any of them can be made to fail
 * with an errno. Calls for other files are not touched, so that each machine of a test can have a
 * disk of its own; the disks are closed in the opposite order.
 *
 * <pre>{@code
 * try (FailingCalls disk = FailingCalls.under(directory)) {
 *     disk.fail(3, FailingCalls.EIO);                // the third call from now on
 *     disk.fail(Call.SYNC_PAGES, 1, FailingCalls.EIO); // or the next of its kind
 *     workload();
 * }
 * }</pre>
 *
 * <p>A call that fails has not been made. Thread-safe.
 */
@SuppressWarnings("exports") // for who tests Farheap itself, whose inner types these are
public final class FailingCalls extends SystemCalls implements AutoCloseable {
    /** A signal came meanwhile: the call is to be made again. */
    public static final int EINTR = 4;

    /** The device does not read or write. */
    public static final int EIO = 5;

    /** The file system is full. */
    public static final int ENOSPC = 28;

    /**
     * In place of an errno: a read or write does one byte less than it was asked for, at least one;
     * any other call is made as always.
     */
    public static final int SHORT = -1;

    /** What is asked of the kernel. */
    public enum Call {
        /** Opens or makes a file. */
        OPEN,
        /** Closes an open file. */
        CLOSE,
        /** Reads at an offset. */
        READ,
        /** Writes at an offset. */
        WRITE,
        /** Gives a file a size. */
        TRUNCATE,
        /** Has the file system set the room of a file aside. */
        ALLOCATE,
        /** Says who may read and write a file. */
        SET_MODE,
        /** Gives a file to a user. */
        SET_OWNER,
        /** Makes what was written to a file durable. */
        SYNC,
        /** Takes or looks at a lock of a file. */
        LOCK,
        /** Asks for the size of a file. */
        SIZE,
        /** Maps a file into memory. */
        MAP,
        /** Ends a mapping. */
        UNMAP,
        /** Makes pages of a mapping durable. */
        SYNC_PAGES,
        /** Asks which pages of a mapping are in memory. */
        RESIDENT_PAGES,
        /** Lets pages of a mapping go from memory. */
        DROP_PAGES,
        /** Gives a file another name. */
        RENAME,
        /** Removes a file. */
        UNLINK,
        /** Starts a process. */
        START
    }

    /** Where an open file has a name by its descriptor. */
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private record Place(Path path) {}

    private record Mapping(long length, Path path) {}

    /** Calls from {@code first} on, {@code count} of them, fail. */
    private record Plan(Call call, long first, long count, int errno) {
        boolean meets(Call made, long number) {
            return (call == null || call == made) && number >= first && number - first < count;
        }
    }

    private final Path directory;
    private final SystemCalls disk;
    private final Map<Integer, Place> files = new ConcurrentHashMap<>();
    private final ConcurrentSkipListMap<Long, Mapping> mappings = new ConcurrentSkipListMap<>();

    private final Map<Call, Long> counts = new EnumMap<>(Call.class);
    private final List<Plan> plans = new ArrayList<>();
    private final List<String> failed = new ArrayList<>();
    private volatile Function<List<String>, Process> programs;
    private long count;

    private FailingCalls(Path directory, SystemCalls disk) {
        this.directory = directory.toAbsolutePath();
        this.disk = disk;
    }

    /** Comes between this process and its files under a directory. */
    public static FailingCalls under(Path directory) {
        synchronized (SystemCalls.class) {
            FailingCalls calls = new FailingCalls(directory, current());
            install(calls);
            return calls;
        }
    }

    @Override
    public int extents(int descriptor, MemorySegment map) {
        return disk.extents(descriptor, map); // no file is made, changed or read by it
    }

    /** Leaves; what was opened stays open. */
    @Override
    public void close() {
        synchronized (SystemCalls.class) {
            if (current() != this) {
                throw new IllegalStateException("a disk that came later has not been closed");
            }
            install(disk);
        }
    }

    /** The {@code number}-th call from now on fails, of whatever kind; from 1. */
    public synchronized void fail(long number, int errno) {
        plans.add(new Plan(null, count + number, 1, errno));
    }

    /** The {@code number}-th call of one kind from now on fails. */
    public synchronized void fail(Call call, long number, int errno) {
        plans.add(new Plan(call, count(call) + number, 1, errno));
    }

    /** All calls fail from the {@code number}-th on: the disk is gone. */
    public synchronized void failAllFrom(long number, int errno) {
        plans.add(new Plan(null, count + number, Long.MAX_VALUE, errno));
    }

    /** All calls of one kind fail from now on. */
    public synchronized void failAll(Call call, int errno) {
        plans.add(new Plan(call, count(call) + 1, Long.MAX_VALUE, errno));
    }

    /** Nothing fails any more. */
    public synchronized void heal() {
        plans.clear();
    }

    /** Programs under the directory are not started from now on: this runs in their place. */
    public void programs(Function<List<String>, Process> runner) {
        programs = runner;
    }

    /** Closes every file that is open yet, as the end of the process does. */
    public void endProcess() {
        for (int descriptor : List.copyOf(files.keySet())) {
            files.remove(descriptor);
            int unused = disk.close(descriptor);
        }
    }

    /** How many calls there were. */
    public synchronized long count() {
        return count;
    }

    /** How many there were of one kind. */
    public synchronized long count(Call call) {
        return counts.getOrDefault(call, 0L);
    }

    /** What has failed: the call's kind and its file. */
    public synchronized List<String> failed() {
        return List.copyOf(failed);
    }

    /** What becomes of a call: 0 to make it, {@link #SHORT}, or the errno it fails with. */
    private synchronized int verdict(Call call, Path path) {
        if (path == null) {
            return 0;
        }
        count++;
        long ofKind = counts.merge(call, 1L, Long::sum);
        for (Plan plan : plans) {
            if (plan.meets(call, plan.call() == null ? count : ofKind)) {
                failed.add(call + " " + path);
                return plan.errno();
            }
        }
        return 0;
    }

    private Path ours(String path) {
        Path absolute = Path.of(path).toAbsolutePath();
        if (absolute.startsWith(DESCRIPTORS)) {
            return ours(Integer.parseInt(absolute.getFileName().toString()));
        }
        return absolute.startsWith(directory) ? absolute : null;
    }

    private Path ours(int descriptor) {
        Place place = files.get(descriptor);
        return place == null ? null : place.path();
    }

    private Path ours(long address) {
        Map.Entry<Long, Mapping> before = mappings.floorEntry(address);
        return before != null && address - before.getKey() < before.getValue().length()
                ? before.getValue().path()
                : null;
    }

    @Override
    public int open(String path, int flags, int mode) {
        Path ours = ours(path);
        int verdict = verdict(Call.OPEN, ours);
        if (verdict > 0) {
            return -verdict;
        }
        int descriptor = disk.open(path, flags, mode);
        if (ours != null && descriptor >= 0) {
            files.put(descriptor, new Place(ours));
        }
        return descriptor;
    }

    /** Closes it whatever it answers, as Linux does. */
    @Override
    public int close(int descriptor) {
        int verdict = verdict(Call.CLOSE, ours(descriptor));
        files.remove(descriptor);
        int result = disk.close(descriptor);
        return verdict > 0 ? -verdict : result;
    }

    @Override
    public long read(int descriptor, MemorySegment buffer, long offset) {
        int verdict = verdict(Call.READ, ours(descriptor));
        return verdict > 0 ? -verdict : disk.read(descriptor, shorter(buffer, verdict), offset);
    }

    @Override
    public long write(int descriptor, MemorySegment buffer, long offset) {
        int verdict = verdict(Call.WRITE, ours(descriptor));
        return verdict > 0 ? -verdict : disk.write(descriptor, shorter(buffer, verdict), offset);
    }

    private static MemorySegment shorter(MemorySegment buffer, int verdict) {
        return verdict == SHORT && buffer.byteSize() > 1
                ? buffer.asSlice(0, buffer.byteSize() - 1)
                : buffer;
    }

    @Override
    public int truncate(int descriptor, long size) {
        int verdict = verdict(Call.TRUNCATE, ours(descriptor));
        return verdict > 0 ? -verdict : disk.truncate(descriptor, size);
    }

    @Override
    public int allocate(int descriptor, long offset, long length) {
        int verdict = verdict(Call.ALLOCATE, ours(descriptor));
        return verdict > 0 ? -verdict : disk.allocate(descriptor, offset, length);
    }

    @Override
    public int setMode(int descriptor, int mode) {
        int verdict = verdict(Call.SET_MODE, ours(descriptor));
        return verdict > 0 ? -verdict : disk.setMode(descriptor, mode);
    }

    @Override
    public int setOwner(int descriptor, int user, int group) {
        int verdict = verdict(Call.SET_OWNER, ours(descriptor));
        return verdict > 0 ? -verdict : disk.setOwner(descriptor, user, group);
    }

    @Override
    public int sync(int descriptor) {
        int verdict = verdict(Call.SYNC, ours(descriptor));
        return verdict > 0 ? -verdict : disk.sync(descriptor);
    }

    @Override
    public int lock(int descriptor, int operation) {
        int verdict = verdict(Call.LOCK, ours(descriptor));
        return verdict > 0 ? -verdict : disk.lock(descriptor, operation);
    }

    @Override
    public long size(int descriptor) {
        int verdict = verdict(Call.SIZE, ours(descriptor));
        return verdict > 0 ? -verdict : disk.size(descriptor);
    }

    @Override
    public long map(
            long address, long length, int protection, int flags, int descriptor, long offset) {
        Path ours = ours(descriptor);
        int verdict = verdict(Call.MAP, ours);
        if (verdict > 0) {
            return -verdict;
        }
        long mapped = disk.map(address, length, protection, flags, descriptor, offset);
        if (ours != null && mapped >= 0) {
            mappings.put(mapped, new Mapping(length, ours));
        }
        return mapped;
    }

    /** Takes away the whole range whatever it answers: its address may be another's soon. */
    @Override
    public int unmap(long address, long length) {
        int verdict = verdict(Call.UNMAP, ours(address));
        mappings.subMap(address, address + length).clear();
        int result = disk.unmap(address, length);
        return verdict > 0 ? -verdict : result;
    }

    @Override
    public int syncPages(long address, long length) {
        int verdict = verdict(Call.SYNC_PAGES, ours(address));
        return verdict > 0 ? -verdict : disk.syncPages(address, length);
    }

    @Override
    public int dropPages(long address, long length) {
        int verdict = verdict(Call.DROP_PAGES, ours(address));
        return verdict > 0 ? -verdict : disk.dropPages(address, length);
    }

    @Override
    public int residentPages(long address, long length, MemorySegment pages) {
        int verdict = verdict(Call.RESIDENT_PAGES, ours(address));
        return verdict > 0 ? -verdict : disk.residentPages(address, length, pages);
    }

    @Override
    public int rename(String from, String to) {
        int verdict = verdict(Call.RENAME, ours(to));
        if (verdict > 0) {
            return -verdict;
        }
        int result = disk.rename(from, to);
        if (result == 0) {
            Path moved = Path.of(from).toAbsolutePath();
            Path named = Path.of(to).toAbsolutePath();
            files.replaceAll((fd, at) -> at.path().equals(moved) ? new Place(named) : at);
        }
        return result;
    }

    @Override
    public int unlink(String path) {
        int verdict = verdict(Call.UNLINK, ours(path));
        return verdict > 0 ? -verdict : disk.unlink(path);
    }

    @Override
    public Process start(List<String> command) throws IOException {
        Path ours = ours(command.get(0));
        int verdict = verdict(Call.START, ours);
        if (verdict > 0) {
            throw new IOException("error=" + verdict + ", " + SystemError.text(verdict));
        }
        return ours != null && programs != null ? programs.apply(command) : disk.start(command);
    }
}
