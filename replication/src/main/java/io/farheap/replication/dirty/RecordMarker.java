package io.farheap.replication.dirty;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.spi.ChangedRanges;
import io.farheap.spi.RecordSource;

/**
 * Notes what a record changes in the dirty maps of those that will not get it. For one thread at a
 * time; allocates nothing.
 */
public final class RecordMarker extends ChangedRanges {
    private DirtyBits[] maps;
    private RegionSet[] sets;
    private boolean settling;
    private boolean news;

    /**
     * The record's bits are durable in all maps when this returns.
     *
     * @throws UnmarkableException when they are not in one of them
     */
    public void mark(RecordSource source, DirtyBits[] dirty) {
        maps = dirty;
        sets = null;
        news = false;
        settling = false;
        source.writeTo(this);
        if (news) {
            for (DirtyBits map : dirty) {
                fence(map);
            }
            settling = true;
            source.writeTo(this);
        }
        maps = null;
    }

    private static void fence(DirtyBits map) {
        try {
            map.fence();
        } catch (FarheapException | InternalError e) {
            throw new UnmarkableException(map, e);
        }
    }

    private static boolean mark(DirtyBits map, long offset, long length) {
        try {
            return map.mark(offset, length);
        } catch (FarheapException | InternalError e) { // the JVM's word for a page that is not read
            throw new UnmarkableException(map, e);
        }
    }

    /** Adds what the record changes to the sets. */
    public void mark(RecordSource source, RegionSet[] into) {
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
                news |= mark(map, offset, length);
            }
        }
    }
}
