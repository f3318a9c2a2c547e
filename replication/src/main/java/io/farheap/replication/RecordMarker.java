package io.farheap.replication;

import io.farheap.layout.Descriptor;
import io.farheap.spi.ChangedRanges;
import io.farheap.spi.RecordSource;

/**
 * Notes what a record changes in the dirty maps of those that will not get it. For one thread at a
 * time; allocates nothing.
 */
final class RecordMarker extends ChangedRanges {
    private DirtyBits[] maps;
    private RegionSet[] sets;
    private boolean settling;
    private boolean news;

    /** The record's bits are durable in all maps when this returns. */
    void mark(RecordSource source, DirtyBits[] dirty) {
        maps = dirty;
        sets = null;
        news = false;
        settling = false;
        source.writeTo(this);
        if (news) {
            for (DirtyBits map : dirty) {
                map.fence();
            }
            settling = true;
            source.writeTo(this);
        }
        maps = null;
    }

    /** Adds what the record changes to the sets. */
    void mark(RecordSource source, RegionSet[] into) {
        maps = null;
        sets = into;
        source.writeTo(this);
        sets = null;
    }

    @Override
    protected void range(long offset, long length) {
        // what lies between is each copy's own: lanes, the scratch area
        boolean shared = offset < Descriptor.SCRATCH || offset >= Descriptor.DEFAULT_HEAP_OFFSET;
        if (length == 0 || !shared) {
            return;
        }
        if (sets != null) {
            for (RegionSet set : sets) {
                set.mark(offset, length);
            }
            return;
        }
        for (DirtyBits map : maps) {
            if (settling) {
                map.settle(offset, length);
            } else {
                news |= map.mark(offset, length);
            }
        }
    }
}
