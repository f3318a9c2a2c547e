package io.farheap.simulation.engine;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import io.farheap.spi.ReplicatedPool;
import java.util.List;

/** What planted mistakes make of things. */
public final class Spoiled {
    private Spoiled() {}

    /** All but the first. */
    public static <T> List<T> withoutFirst(List<T> list) {
        return list.isEmpty() ? list : list.subList(1, list.size());
    }

    /** Whether it worked or not. */
    public static void tryFlush(PoolMemory memory, long offset, long length) {
        try {
            memory.flush(offset, length);
        } catch (FarheapException e) {
            World.current().note("nobody cares that " + e.getMessage());
        }
    }

    /** Whether it worked or not. */
    public static void tryFence(PoolMemory memory) {
        try {
            memory.fence();
        } catch (FarheapException e) {
            World.current().note("nobody cares that " + e.getMessage());
        }
    }

    /** Not when nobody takes part. */
    public static void switchRunId(ReplicatedPool pool, long next, List<?> members) {
        if (!members.isEmpty()) {
            pool.switchRunId(next);
        }
    }
}
