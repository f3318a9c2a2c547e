package io.farheap.replication.dirty;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.epoch.DegradingPool;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Dirty maps on a disk that fails when it is told to. What was stored stays readable, as in the
 * page cache, whether its flush failed or not.
 *
 * <p>Several threads may use it, and no power is lost, unlike {@link SimulatedMaps}.
 */
public final class FakeMaps {
    /** What is asked of the disk. */
    public enum Call {
        FIND,
        CREATE,
        FLUSH,
        REMOVE
    }

    private static final long IMAGE = DegradingPool.IMAGE;

    private final Map<RemoteReplica, MemorySegment> files = new ConcurrentHashMap<>();

    /** Set by tests: whether it fails. */
    public volatile Predicate<Call> failing = call -> false;

    /** What the next process finds. */
    public FakeMaps copy() {
        FakeMaps copy = new FakeMaps();
        files.forEach((replica, file) -> copy.files.put(replica, copyOf(file)));
        return copy;
    }

    private static MemorySegment copyOf(MemorySegment file) {
        return Arena.ofAuto().allocate(file.byteSize(), 4096).copyFrom(file);
    }

    public List<RemoteReplica> found() {
        return new ArrayList<>(files.keySet());
    }

    private void call(Call call) {
        if (failing.test(call)) {
            throw new FarheapException(Category.ENVIRONMENT, call + " failed: Input/output error");
        }
    }

    private PoolMemory memory(MemorySegment file) {
        return new PoolMemory(
                file,
                new Persistence() {
                    @Override
                    public void flush(long offset, long length) {}

                    @Override
                    public void fence() {
                        call(Call.FLUSH);
                    }
                });
    }

    private static MemorySegment identity(RemoteReplica replica) {
        return DirtyMap.identity(new byte[16], replica.toString());
    }

    /** As a program sees them. */
    public DirtyMaps open() {
        return new DirtyMaps() {
            @Override
            public DirtyMap find(RemoteReplica replica, long number) {
                call(Call.FIND);
                MemorySegment file = files.get(replica);
                return file == null ? null : DirtyMap.open(memory(file), identity(replica), number);
            }

            @Override
            public DirtyMap create(
                    RemoteReplica replica, Bases bases, long number, boolean coversLag) {
                remove(replica);
                call(Call.CREATE);
                MemorySegment file = Arena.ofAuto().allocate(DirtyMap.fileBytes(IMAGE), 4096);
                files.put(replica, file);
                return DirtyMap.create(
                        memory(file), identity(replica), IMAGE, bases, number, coversLag);
            }

            @Override
            public void remove(RemoteReplica replica) {
                if (files.containsKey(replica)) {
                    call(Call.REMOVE);
                    MemorySegment unused = files.remove(replica);
                }
            }

            @Override
            public void close() {}
        };
    }
}
