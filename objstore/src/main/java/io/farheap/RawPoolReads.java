package io.farheap;

import io.farheap.base.Ref;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** What a pool tells by bare offsets, outside of a transaction. */
final class RawPoolReads implements RawReads {
    private final PoolEngine engine;
    private final long poolId;

    RawPoolReads(PoolEngine engine, long poolId) {
        this.engine = engine;
        this.poolId = poolId;
    }

    @Override
    public long getLong(long object, long offset) {
        try {
            engine.checkLoad(object, offset, Long.BYTES);
            return engine.image().getLong(object + offset);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public int getInt(long object, long offset) {
        try {
            engine.checkLoad(object, offset, Integer.BYTES);
            return engine.image().getInt(object + offset);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public short getShort(long object, long offset) {
        try {
            engine.checkLoad(object, offset, Short.BYTES);
            return engine.image().getShort(object + offset);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public byte getByte(long object, long offset) {
        try {
            engine.checkLoad(object, offset, 1);
            return engine.image().getByte(object + offset);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public long getRef(long object, long offset) {
        try {
            engine.checkLoad(object, offset, Ref.BYTES);
            PoolMemory image = engine.image();
            long target = image.getLong(object + offset + Long.BYTES);
            long pool = image.getLong(object + offset);
            if (target == 0 || pool == 0) {
                return 0; // a commit that clears it stores the one before the other
            }
            PoolReferences.checkPool(pool, poolId);
            return target;
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public void readBytes(
            long object, long offset, MemorySegment target, long targetOffset, long length) {
        try {
            Objects.requireNonNull(target, "target");
            engine.checkLoad(object, offset, length);
            engine.image().copyOut(object + offset, target, targetOffset, length);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }
}
