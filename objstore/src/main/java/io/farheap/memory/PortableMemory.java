package io.farheap.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Ranges of addresses, and what lies behind them: a file that Java has mapped where it pleased, or
 * memory into which files were copied, each where it was wanted.
 */
final class PortableMemory {
    /**
     * Whole words, as they were at one moment: so a copy by the JVM is, and not one by a kernel.
     */
    private static final int PIECE = PortableBuffers.BYTES;

    private static final int PAGE = 4096;
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final ConcurrentSkipListMap<Long, Range> ranges = new ConcurrentSkipListMap<>();

    /**
     * Part of a range: a copy of a file, stores to which reach it by a sync if it is shared.
     *
     * @param sums of its pages as the file had them: what nobody stored here is not written at the
     *     end, for another view of the file may have changed it
     * @param unsure pages of which a sync failed: the file may have them on no medium, whatever it
     *     shows
     */
    private record Copy(
            long address,
            long length,
            PortableFile file,
            long offset,
            boolean shared,
            long[] sums,
            BitSet unsure) {
        /** Notes what the file has now, by whole pages. */
        void sum(long at, MemorySegment content) {
            for (long page = 0; page + PAGE <= content.byteSize(); page += PAGE) {
                sums[page(at + page)] = sumOf(content.asSlice(page, PAGE));
            }
        }

        void syncFailed(long from, long until) {
            synchronized (unsure) {
                unsure.set(page(from), page(until - 1) + 1);
            }
        }

        boolean isUnsure(long at) {
            synchronized (unsure) {
                return unsure.get(page(at));
            }
        }

        int page(long at) {
            return (int) ((at - address) / PAGE);
        }

        long end() {
            return address + length;
        }

        boolean isOf(PortableFile other) {
            return PortableFiles.keyOf(file).equals(PortableFiles.keyOf(other));
        }
    }

    /** What is left of a mapping after pieces were taken from its ends. */
    private static final class Range {
        final PortableMapping mapping;
        final boolean showsFile;
        final List<Copy> copies = new ArrayList<>();
        long start;
        long end;

        Range(PortableMapping mapping, boolean showsFile) {
            this.mapping = mapping;
            this.showsFile = showsFile;
            this.start = mapping.memory().address();
            this.end = start + mapping.memory().byteSize();
        }

        MemorySegment slice(long address, long length) {
            return mapping.memory().asSlice(address - mapping.memory().address(), length);
        }
    }

    /** A range that shows nothing. */
    long reserve(long length) throws IOException {
        return add(new Range(PortableMapping.ofMemory(length), false));
    }

    /** A file, where Java pleases. */
    long show(PortableFile file, MapMode mode, long offset, long length) throws IOException {
        return add(new Range(PortableMapping.of(file, mode, offset, length), true));
    }

    private long add(Range range) {
        ranges.put(range.start, range);
        return range.start;
    }

    private Range at(long address) {
        Map.Entry<Long, Range> before = ranges.floorEntry(address);
        return before == null || before.getValue().end <= address ? null : before.getValue();
    }

    /**
     * Copies a file to where something is reserved, in the place of what was copied there before.
     *
     * @return false: nothing is
     */
    boolean copy(long address, long length, PortableFile file, long offset, boolean shared)
            throws IOException {
        Range range = at(address);
        if (range == null || range.showsFile || address + length > range.end) {
            return false;
        }
        requireRoom(length);
        synchronized (range) {
            for (Copy each : List.copyOf(range.copies)) {
                if (each.address() < address + length && each.end() > address) {
                    boolean unused = range.copies.remove(each);
                    PortableFiles.release(each.file());
                }
            }
            MemorySegment target = range.slice(address, length);
            ByteBuffer piece = PortableBuffers.own();
            long done = 0;
            int read = 1;
            while (done < length && read > 0) {
                piece.clear().limit((int) Math.min(PIECE, length - done));
                read = file.read(piece, offset + done);
                MemorySegment.copy(MemorySegment.ofBuffer(piece.flip()), 0, target, done, read);
                done += read;
            }
            MemorySegment unused = target.asSlice(done).fill((byte) 0);
            PortableFiles.retain(file);
            long[] sums = new long[shared ? (int) ((length + PAGE - 1) / PAGE) : 0];
            Copy copy = new Copy(address, length, file, offset, shared, sums, new BitSet());
            if (shared) {
                copy.sum(address, target);
            }
            range.copies.add(copy);
        }
        return true;
    }

    /** Every byte of a copy takes room, which a store could not report the want of. */
    private static void requireRoom(long length) throws IOException {
        Path place = Path.of(System.getProperty("java.io.tmpdir"));
        if (Files.getFileStore(place).getUsableSpace() < length) {
            throw new FileSystemException(place.toString(), null, "No space left on device");
        }
    }

    /** What was read of a file becomes what is stored in copies of it. */
    void overlay(PortableFile file, long offset, MemorySegment read) {
        eachShared(file, offset, read, (stored, there) -> there.copyFrom(stored));
    }

    /** What was written to a file is stored in copies of it. */
    void written(PortableFile file, long offset, MemorySegment bytes) {
        eachShared(file, offset, bytes, MemorySegment::copyFrom);
    }

    private interface Overlap {
        Object meet(MemorySegment stored, MemorySegment bytes);
    }

    private void eachShared(PortableFile file, long from, MemorySegment bytes, Overlap overlap) {
        long end = from + bytes.byteSize();
        for (Range range : ranges.values()) {
            synchronized (range) {
                for (Copy copy : range.copies) {
                    long start = Math.max(from, copy.offset());
                    long until = Math.min(end, copy.offset() + copy.length());
                    if (copy.shared() && copy.isOf(file) && start < until) {
                        long address = copy.address() + start - copy.offset();
                        Object unused =
                                overlap.meet(
                                        range.slice(address, until - start),
                                        bytes.asSlice(start - from, until - start));
                    }
                }
            }
        }
    }

    /**
     * Brings a range to the medium.
     *
     * @return false: something of it is not mapped
     */
    boolean sync(long address, long length) throws IOException {
        for (long at = address; at < address + length; ) {
            Range range = at(at);
            if (range == null) {
                return false;
            }
            long end = Math.min(address + length, range.end);
            try {
                sync(range, at, end);
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
            at = end;
        }
        return true;
    }

    private static void sync(Range range, long from, long end) throws IOException {
        if (range.showsFile) {
            range.mapping.sync(from - range.mapping.memory().address(), end - from);
            return;
        }
        List<Copy> written = new ArrayList<>();
        synchronized (range) { // an older state of a page must not come over a newer one
            for (Copy copy : range.copies) {
                long start = Math.max(from, copy.address());
                long until = Math.min(end, copy.end());
                if (copy.shared() && start < until) {
                    write(range, copy, start, until);
                    written.add(copy);
                }
            }
        }
        for (Copy copy : written) {
            try {
                copy.file().force(false);
            } catch (IOException e) {
                written.forEach(
                        each ->
                                each.syncFailed(
                                        Math.max(from, each.address()), Math.min(end, each.end())));
                throw e;
            }
        }
    }

    private static void write(Range range, Copy copy, long from, long end) throws IOException {
        if (copy.file().size() < copy.offset() + copy.length()) {
            throw new IOException("Input/output error: " + copy.file().path() + " was cut off");
        }
        ByteBuffer piece = PortableBuffers.own();
        MemorySegment whole = MemorySegment.ofBuffer(piece.clear());
        for (long at = from; at < end; ) {
            int length = (int) Math.min(PIECE, end - at);
            MemorySegment.copy(range.slice(at, length), 0, whole, 0, length);
            writeFully(
                    copy.file(), piece.clear().limit(length), copy.offset() + at - copy.address());
            copy.sum(at, whole.asSlice(0, length));
            at += length;
        }
    }

    private static void writeFully(PortableFile file, ByteBuffer bytes, long offset)
            throws IOException {
        long start = bytes.position();
        while (bytes.hasRemaining()) {
            int unused = file.write(bytes, offset + bytes.position() - start);
        }
    }

    /**
     * Takes a whole range away, or a piece of one of its ends; nothing, where there is none.
     *
     * @return false: it is more
     */
    boolean unmap(long address, long length) throws IOException {
        Range range = at(address);
        if (range == null) {
            return true;
        }
        if (address + length > range.end) {
            return false;
        }
        if (address == range.start) {
            ranges.remove(range.start);
            range.start += length;
            if (range.start < range.end) {
                ranges.put(range.start, range);
            } else {
                end(range);
            }
            return true;
        }
        boolean last = address + length == range.end;
        if (last) {
            range.end = address;
        }
        return last;
    }

    /** As the end of a mapping does, it leaves to the file what was stored and not synced. */
    private static void end(Range range) throws IOException {
        try (Ending ending = new Ending(range)) {
            for (Copy copy : range.copies) {
                if (copy.shared()) {
                    writeChanged(range, copy);
                }
            }
        }
    }

    private record Ending(Range range) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            IOException failure = null;
            for (Copy copy : range.copies) {
                try {
                    PortableFiles.release(copy.file());
                } catch (IOException e) {
                    failure = e;
                }
            }
            range.mapping.close();
            if (failure != null) {
                throw failure;
            }
        }
    }

    private static void writeChanged(Range range, Copy copy) throws IOException {
        for (long at = copy.address(); at < copy.end(); at += PAGE) {
            long length = Math.min(PAGE, copy.end() - at);
            if (copy.isUnsure(at) || sumOf(range.slice(at, length)) != copy.sums()[copy.page(at)]) {
                write(range, copy, at, at + length);
            }
        }
    }

    /** Differs where one word does; where several do, but for one time in 2 to the 64. */
    private static long sumOf(MemorySegment page) {
        long sum = 0;
        for (long at = 0; at + Long.BYTES <= page.byteSize(); at += Long.BYTES) {
            sum = (sum ^ page.get(ValueLayout.JAVA_LONG_UNALIGNED, at)) * MULTIPLIER;
            sum ^= sum >>> 32;
        }
        return sum;
    }
}
