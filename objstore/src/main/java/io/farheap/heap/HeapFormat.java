package io.farheap.heap;

import io.farheap.base.FarheapException;
import io.farheap.layout.Checksum;
import io.farheap.memory.PoolMemory;

/** Writes the heap of a new pool (docs/format.md#heap-header, docs/format.md#creation). */
public final class HeapFormat {
    private HeapFormat() {}

    /** The least bytes a heap needs: its header, one zone's headers and one chunk. */
    static long minimumSize() {
        return HeapLayout.MIN_HEAP_BYTES;
    }

    /**
     * Writes the heap header and marks every zone as not initialised; durable when it returns, with
     * all that this thread flushed before. Zones get their headers when memory is wanted, so a big
     * pool costs nothing here.
     *
     * @param heapOffset image offset of the heap, a multiple of 4096
     * @param heapSize bytes from there on that the heap uses
     */
    public static void format(PoolMemory memory, long heapOffset, long heapSize) {
        if (heapSize < HeapLayout.MIN_HEAP_BYTES || heapSize > memory.size() - heapOffset) {
            throw FarheapException.wrongUse(
                    "a heap of %s bytes is impossible in this pool: it needs at least %s"
                            + " bytes and has %s",
                    heapSize, HeapLayout.MIN_HEAP_BYTES, memory.size() - heapOffset);
        }
        header(memory, heapOffset);
        memory.flush(heapOffset, HeapLayout.HEADER_BYTES);
        long start = HeapLayout.ZONE_HEADER_BYTES + Long.BYTES;
        for (int zone = 0; zone < HeapLayout.zones(heapSize); zone++) {
            long zoneOffset = HeapLayout.zone(heapOffset, zone);
            memory.fill(zoneOffset, start, (byte) 0);
            memory.flush(zoneOffset, start);
        }
        memory.fence();
    }

    /** Writes the heap header, which is the same in every pool. */
    static void header(PoolMemory memory, long heapOffset) {
        memory.fill(heapOffset, HeapLayout.HEADER_BYTES, (byte) 0);
        memory.putLong(heapOffset, HeapLayout.SIGNATURE_LOW);
        memory.putLong(heapOffset + 8, HeapLayout.SIGNATURE_HIGH);
        memory.putLong(heapOffset + HeapLayout.MAJOR, HeapLayout.MAJOR_VALUE);
        memory.putLong(heapOffset + HeapLayout.CHUNK_SIZE, HeapLayout.CHUNK_BYTES);
        memory.putLong(heapOffset + HeapLayout.CHUNKS_PER_ZONE, HeapLayout.MAX_CHUNKS);
        long checksum =
                Checksum.of(
                        memory.image(),
                        heapOffset,
                        HeapLayout.HEADER_BYTES,
                        HeapLayout.CHECKSUM,
                        Checksum.NO_SKIP);
        memory.putLong(heapOffset + HeapLayout.CHECKSUM, checksum);
    }
}
