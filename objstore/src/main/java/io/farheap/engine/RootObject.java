package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/**
 * The root object of an open pool: where it is, and its growth, which moves it and which one
 * transaction at a time does. Thread-safe.
 */
public final class RootObject {
    private final PoolEngine engine;
    private final Descriptor descriptor;
    private final ReentrantLock lock = new ReentrantLock();

    RootObject(PoolEngine engine, Descriptor descriptor) {
        this.engine = engine;
        this.descriptor = descriptor;
    }

    /** Where the root object is now; 0 before it was made. */
    public long offset() {
        engine.ensureUsable();
        return descriptor.rootOffset();
    }

    /** The largest size that was asked of the root; 0 before it was made. */
    public long size() {
        engine.ensureUsable();
        return descriptor.rootSize();
    }

    /**
     * The root object, made or grown to at least {@code size} bytes in a transaction; new bytes are
     * 0. Growing moves it.
     *
     * @param filling what is done with a root that was made or moved, before anybody else finds it
     *     there; where it throws, the root is as it was
     */
    public long grow(long size, LongConsumer filling) {
        if (size < 0) {
            throw FarheapException.wrongUse("The root's size must not be negative: %s.", size);
        }
        long present = offset();
        if (present != 0 && descriptor.rootSize() >= size && engine.current() == null) {
            return present;
        }
        LaneTransaction tx = engine.begin();
        int level = LaneTransaction.INNERMOST;
        try {
            level = tx.level();
            tx.lock(lock);
            long before = tx.rootOffset();
            long root = tx.growRoot(descriptor, size);
            if (root != before) {
                filling.accept(root);
            }
            tx.commit(level);
            return root;
        } catch (Throwable failure) {
            tx.abort(level, failure);
            throw failure;
        }
    }
}
