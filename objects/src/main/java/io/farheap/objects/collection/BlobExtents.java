package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.LongType;
import io.farheap.objects.value.ValueType;
import java.lang.foreign.MemorySegment;

/**
 * Bytes in extents: what a blob does within a transaction or read. Without state.
 *
 * <pre>
 * header     0  what it is, 8 bytes "FHBLOB\0\1"; 0 once deleted
 *            8  bytes of the blob
 *           16  header of a list with the offset of each extent
 * extent     1 MiB of the blob's bytes; the last one has room for a power of two from 64 on. Behind
 *            the blob's end anything
 * </pre>
 */
final class BlobExtents extends CollectionStructure {
    static final long WHAT = 0x0100_424F_4C42_4846L;
    static final long HEADER_TYPE = 0x4648_0060;
    static final long EXTENT_TYPE = 0x4648_0061;
    static final long EXTENT = 1 << 20;

    private static final long SIZE = 8;
    private static final long LIST = 16;
    private static final long HEADER_SIZE = 24;
    private static final long SMALLEST = 64;

    /** What is shown at once: a divisor of an extent. */
    private static final long PIECE = 1 << 15;

    private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[4096]).asReadOnly();

    private final ListTree<Long> extents = new ListTree<>(LongType.LONG, ListTree.NODE_BYTES);

    @Override
    long create(HeapTransaction tx) {
        long header = tx.allocate(HEADER_SIZE, HEADER_TYPE);
        tx.setLong(header, 0, WHAT);
        tx.setLong(header, LIST, extents.create(tx));
        return header;
    }

    @Override
    void delete(HeapTransaction tx, long header) {
        setSize(tx, header, 0);
        long list = tx.getLong(header, LIST);
        extents.delete(tx, list);
        tx.free(list); // only this has its offset
        tx.setLong(header, 0, 0);
    }

    long size(HeapTransaction tx, long header) {
        if (tx.getLong(header, 0) != WHAT) {
            throw CollectionCheck.notThere("blob", header, tx.getLong(header, 0));
        }
        return CollectionCheck.size(tx, "blob", header, tx.getLong(header, SIZE));
    }

    private long list(HeapTransaction tx, long header) {
        return tx.getLong(header, LIST);
    }

    private long extent(HeapTransaction tx, long header, long index) {
        TreePlace place = new TreePlace();
        long extent = extents.find(tx, list(tx, header), index, place) ? extents.get(tx, place) : 0;
        if (extent == 0) {
            throw CollectionCheck.damaged("blob", header, "an extent of it is missing");
        }
        return extent;
    }

    /** Copies bytes from a position on; returns how many there were, -1 at the end. */
    int read(HeapTransaction tx, long header, long position, MemorySegment target) {
        long rest = size(tx, header) - position;
        if (rest <= 0) {
            return target.byteSize() == 0 ? 0 : -1;
        }
        long length = Math.min(rest, target.byteSize());
        for (long done = 0; done < length; ) {
            long at = position + done;
            long part = Math.min(length - done, EXTENT - at % EXTENT);
            tx.read(extent(tx, header, at / EXTENT), at % EXTENT, target, done, part);
            done += part;
        }
        return (int) length;
    }

    /** Stores bytes from a position on; zeros in between where it is behind the end. */
    void write(HeapTransaction tx, long header, long position, MemorySegment source) {
        long end = Math.addExact(position, source.byteSize());
        if (source.byteSize() == 0) {
            return;
        }
        if (end > size(tx, header)) {
            grow(tx, header, position, end);
        }
        store(tx, header, position, source);
    }

    private void store(HeapTransaction tx, long header, long position, MemorySegment source) {
        for (long done = 0; done < source.byteSize(); ) {
            long at = position + done;
            long part = Math.min(source.byteSize() - done, EXTENT - at % EXTENT);
            tx.write(extent(tx, header, at / EXTENT), at % EXTENT, source, done, part);
            done += part;
        }
    }

    void setSize(HeapTransaction tx, long header, long size) {
        long old = size(tx, header);
        if (size > old) {
            grow(tx, header, size, size);
            return;
        }
        long list = list(tx, header);
        long kept = (size + EXTENT - 1) / EXTENT;
        for (long last = extents.size(tx, list) - 1; last >= kept; last--) {
            tx.free(extent(tx, header, last));
            extents.remove(tx, list, last);
        }
        tx.setLong(header, SIZE, size);
    }

    /** Makes room up to an end; from the old end to {@code stored} zeros. */
    private void grow(HeapTransaction tx, long header, long stored, long end) {
        long old = size(tx, header);
        long list = list(tx, header);
        long last = extents.size(tx, list) - 1;
        for (long index = Math.max(0, last); index * EXTENT < end; index++) {
            long room = Math.min(EXTENT, end - index * EXTENT);
            if (index > last) {
                extents.insert(tx, list, index, allocate(tx, room));
            } else {
                enlarge(tx, header, index, room, old - index * EXTENT);
            }
        }
        tx.setLong(header, SIZE, end);
        for (long at = old; at < stored; ) {
            long part = Math.min(stored - at, ZEROS.byteSize());
            store(tx, header, at, ZEROS.asSlice(0, part));
            at += part;
        }
    }

    private static long allocate(HeapTransaction tx, long room) {
        long size = Math.max(SMALLEST, Long.highestOneBit(room - 1) << 1);
        return tx.allocate(Math.min(EXTENT, size), EXTENT_TYPE);
    }

    private void enlarge(HeapTransaction tx, long header, long index, long room, long used) {
        long extent = extent(tx, header, index);
        if (tx.usableSize(extent) >= room) {
            return;
        }
        if (used < 0) {
            throw CollectionCheck.damaged("blob", header, "it has more extents than its size says");
        }
        long larger = allocate(tx, room);
        byte[] buffer = new byte[(int) Math.min(used, ZEROS.byteSize())];
        for (long done = 0; done < used; done += buffer.length) {
            long part = Math.min(buffer.length, used - done);
            tx.read(extent, done, MemorySegment.ofArray(buffer), 0, part);
            tx.write(larger, done, MemorySegment.ofArray(buffer), 0, part);
        }
        tx.free(extent);
        TreePlace place = new TreePlace();
        if (extents.find(tx, list(tx, header), index, place)) {
            extents.set(tx, place, larger);
        }
    }

    @Override
    void content(HeapTransaction tx, long header, long most, ContentVisitor visitor) {
        CollectionCheck check = new CollectionCheck("blob", header, size(tx, header), most);
        for (long at = 0; at < check.size(); at += PIECE) {
            byte[] piece = new byte[(int) Math.min(PIECE, check.size() - at)];
            int unused = read(tx, header, at, MemorySegment.ofArray(piece));
            visitor.entry(piece, null);
        }
    }

    @Override
    boolean append(HeapTransaction tx, long header, Object key, Object value) {
        write(tx, header, size(tx, header), MemorySegment.ofArray((byte[]) key));
        return true;
    }

    @Override
    void walk(HeapTransaction tx, long header, CollectionVisitor visitor) {
        long unused = size(tx, header);
        visitor.object(header);
        extents.walk(
                tx,
                list(tx, header),
                new CollectionVisitor() {
                    @Override
                    public void object(long offset) {
                        visitor.object(offset);
                    }

                    @Override
                    public void slot(ValueType<?> type, long object, long offset) {
                        visitor.object(tx.getLong(object, offset));
                    }
                });
    }
}
