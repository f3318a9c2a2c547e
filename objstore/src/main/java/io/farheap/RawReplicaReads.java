package io.farheap;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** What a view of a replica tells by bare offsets. */
final class RawReplicaReads implements RawReads {
    private final ReplicaView view;

    RawReplicaReads(ReplicaView view) {
        this.view = view;
    }

    @Override
    public long getLong(long object, long offset) {
        return view.longAt(object, offset);
    }

    @Override
    public int getInt(long object, long offset) {
        return view.intAt(object, offset);
    }

    @Override
    public short getShort(long object, long offset) {
        return view.shortAt(object, offset);
    }

    @Override
    public byte getByte(long object, long offset) {
        return view.byteAt(object, offset);
    }

    @Override
    public long getRef(long object, long offset) {
        return view.refAt(object, offset);
    }

    @Override
    public void readBytes(
            long object, long offset, MemorySegment target, long targetOffset, long length) {
        Objects.requireNonNull(target, "target");
        view.copyOut(object, offset, target, targetOffset, length);
    }
}
