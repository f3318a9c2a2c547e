package io.farheap.memory;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Ranges of addresses, and what lies behind them: a file that Java has mapped where it pleased, or
 * memory into which files were copied, each where it was wanted.
 */
final class PortableMemory {
    /** Whole words, as they were at one moment: so a copy by the JVM is, and not one by a kernel. */
    private static final int PIECE = PortableBuffers.BYTES;

    private static final int PAGE = 4096;

    private final ConcurrentSkipListMap<Long, Range> ranges = new ConcurrentSkipListMap<>();

    /** Part of a range: a copy of a file, stores to which reach it by a sync if it is shared. */
    private record Copy(long address, long length, PortableFile file, long offset, boolean shared) {
        long end() {
            return address + length;
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
            range.copies.add(new Copy(address, length, file, offset, shared));
        }
        return true;
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
        List<PortableFile> written = new ArrayList<>();
        synchronized (range) { // an older state of a page must not come over a newer one
            for (Copy copy : range.copies) {
                long start = Math.max(from, copy.address());
                long until = Math.min(end, copy.end());
                if (copy.shared() && start < until) {
                    write(range, copy, start, until);
                    written.add(copy.file());
                }
            }
        }
        for (PortableFile file : written) {
            file.force(false);
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
            writeFully(copy.file(), piece.clear().limit(length), copy.offset() + at - copy.address());
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
        ByteBuffer piece = PortableBuffers.own();
        for (long at = copy.address(); at < copy.end(); at += PAGE) {
            int length = (int) Math.min(PAGE, copy.end() - at);
            long offset = copy.offset() + at - copy.address();
            piece.clear().limit(length);
            while (piece.hasRemaining() && copy.file().read(piece, offset + piece.position()) > 0) {
                continue;
            }
            MemorySegment stored = MemorySegment.ofBuffer(piece.flip());
            if (range.slice(at, stored.byteSize()).mismatch(stored) >= 0) {
                write(range, copy, at, at + stored.byteSize());
            }
        }
    }
}
