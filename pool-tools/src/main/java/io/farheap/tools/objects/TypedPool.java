package io.farheap.tools.objects;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.FarheapException;
import io.farheap.objects.dump.HeapDump;
import io.farheap.objects.type.StoredHeap;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Supplier;

/** Opens a pool of typed objects for one command. */
public final class TypedPool {
    private final Path file;
    private final PoolOptions options;

    private TypedPool(Path file, PoolOptions options) {
        this.file = file;
        this.options = options;
    }

    /** To look at: recovered in memory, and nothing is written, here or on replicas. */
    public static TypedPool unchanged(Path file) {
        return new TypedPool(file, PoolOptions.builder().copyOnWrite(true).build());
    }

    /** To change, with its replicas. */
    static TypedPool changed(Path file) {
        return new TypedPool(file, PoolOptions.defaults());
    }

    /**
     * @throws FarheapException BAD_DATA, which names the file, also for a pool of something else
     */
    public <T> T with(Function<StoredHeap, T> action) {
        return open(
                pool -> {
                    try (StoredHeap heap = new StoredHeap(pool)) {
                        return action.apply(heap);
                    }
                });
    }

    /** As {@link #with}, for a command that shows objects. */
    <T> T dumped(Function<HeapDump, T> action) {
        return open(
                pool -> {
                    try (HeapDump dump = new HeapDump(pool)) {
                        return action.apply(dump);
                    }
                });
    }

    private <T> T open(Function<ObjectPool, T> action) {
        try (ObjectPool pool = named(() -> ObjectPool.at(file).options(options).open())) {
            return named(() -> action.apply(pool));
        }
    }

    private <T> T named(Supplier<T> action) {
        try {
            return action.get();
        } catch (FarheapException e) {
            boolean nameless = !e.getMessage().contains(file.toString());
            throw e.category() == FarheapException.Category.BAD_DATA && nameless
                    ? FarheapException.badData(e, "%s: %s", file, e.getMessage())
                    : e;
        }
    }
}
