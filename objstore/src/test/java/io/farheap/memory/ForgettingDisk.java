package io.farheap.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A medium that takes what the pages of one file hold when they are synced, and a kernel that does
 * with a page it could not write what Linux does: it takes the page for clean, and tells of it once
 * through each file that was open then.
 */
final class ForgettingDisk extends LibC implements AutoCloseable {
    private static final String DESCRIPTORS = "/proc/self/fd/";
    private static final int PAGE = 4096;
    private static final int OTHERS_FIRST = 2000;

    /** One that is opened after an error was told is not told of it. */
    private static final class OpenFile {
        int told;
    }

    private record Mapping(long length, OpenFile file) {}

    private final SystemCalls kernel = SystemCalls.current();
    private final String path;
    private final byte[] medium;
    private final Map<Integer, OpenFile> files = new HashMap<>();
    private final TreeMap<Long, Mapping> mappings = new TreeMap<>();

    /** What pages held when they could not be written. */
    private final Map<Integer, byte[]> forgotten = new HashMap<>();

    private MemorySegment stored;
    private int errors;
    private int told;
    private long syncs;
    private long failing = Long.MAX_VALUE;

    private ForgettingDisk(String path, int bytes) {
        this.path = path;
        this.medium = new byte[bytes];
    }

    /** In force for the whole process from now on, for a file that has so many bytes. */
    static ForgettingDisk of(String path, int bytes) {
        ForgettingDisk disk = new ForgettingDisk(path, bytes);
        install(disk);
        return disk;
    }

    @Override
    public void close() {
        install(kernel);
    }

    /** The {@code number}-th sync from now on, from 1, can write no page. */
    synchronized void fail(long number) {
        failing = syncs + number;
    }

    /** What the medium has. */
    synchronized long durable(long offset) {
        return MemorySegment.ofArray(medium).get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    /** How many times the file is mapped. */
    synchronized int mappings() {
        return mappings.size();
    }

    @Override
    public synchronized int open(String name, int flags, int mode) {
        boolean again =
                name.startsWith(DESCRIPTORS)
                        && files.containsKey(
                                Integer.parseInt(name.substring(DESCRIPTORS.length())));
        int descriptor = super.open(name, flags, mode);
        if (descriptor >= 0 && (again || name.equals(path))) {
            OpenFile file = new OpenFile();
            file.told = told;
            files.put(descriptor, file);
        }
        return descriptor;
    }

    @Override
    public synchronized int close(int descriptor) {
        files.remove(descriptor);
        return super.close(descriptor);
    }

    @Override
    public synchronized long map(
            long address, long length, int protection, int flags, int descriptor, long offset) {
        long mapped = super.map(address, length, protection, flags, descriptor, offset);
        if (mapped >= 0 && files.containsKey(descriptor)) {
            if (protection != PROT_NONE) {
                stored = MemorySegment.ofAddress(mapped).reinterpret(length);
            }
            mappings.put(mapped, new Mapping(length, files.get(descriptor)));
        }
        return mapped;
    }

    @Override
    public synchronized int unmap(long address, long length) {
        mappings.subMap(address, address + length).clear();
        return super.unmap(address, length);
    }

    @Override
    public int syncPages(long address, long length) {
        if (!isOurs(address)) {
            return super.syncPages(address, length);
        }
        write(address, length);
        Thread.yield(); // another one may write or be told now
        int result = tell(address);
        for (int i = 0; result < 0 && i < OTHERS_FIRST; i++) {
            Thread.yield(); // the others go on: who knows of it is slow to say so
        }
        return result;
    }

    private synchronized boolean isOurs(long address) {
        Map.Entry<Long, Mapping> before = mappings.floorEntry(address);
        return before != null && address - before.getKey() < before.getValue().length();
    }

    private synchronized void write(long address, long length) {
        boolean fails = ++syncs == failing;
        errors += fails ? 1 : 0;
        int start = (int) (address - mappings.floorKey(address));
        for (int at = start; at < start + length; at += PAGE) {
            byte[] page = stored.asSlice(at, PAGE).toArray(ValueLayout.JAVA_BYTE);
            if (fails) {
                forgotten.put(at, page);
            } else if (!Arrays.equals(page, forgotten.get(at))) {
                System.arraycopy(page, 0, medium, at, PAGE);
            }
        }
    }

    private synchronized int tell(long address) {
        OpenFile file = mappings.floorEntry(address).getValue().file();
        if (file.told == errors) {
            return 0;
        }
        file.told = errors;
        told = errors;
        return -EIO;
    }
}
