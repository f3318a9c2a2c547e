package io.farheap.lock;

import io.farheap.base.FarheapException;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Values that belong to places in the pool for one run: made when first asked for, gone with the
 * object or the run. Thread-safe.
 */
public final class VolatileValues {
    private final LockTable.Liveness liveness;
    private final long boundNanos;
    private final ConcurrentSkipListMap<Long, VolatileCell> cells = new ConcurrentSkipListMap<>();

    VolatileValues(LockTable.Liveness liveness, long boundNanos) {
        this.liveness = liveness;
        this.boundNanos = boundNanos;
    }

    /**
     * The cell of a place, with its value in it: made by the first who asks, while all others wait,
     * at most the bound.
     *
     * @throws RuntimeException what the constructor throws; the next who asks tries again
     */
    public VolatileCell get(long object, long place, Supplier<?> constructor) {
        // The cell is there before the object is looked at: either this sees that the object is
        // gone, or forget sees the cell.
        VolatileCell cell = cells.computeIfAbsent(place, key -> new VolatileCell());
        boolean alive = false;
        try {
            liveness.requireAlive(object);
            alive = true;
        } finally {
            if (!alive) {
                forget(place, place + 1);
            }
        }
        if (cell.value() == null) {
            make(cell, place, constructor);
        }
        return cell;
    }

    private void make(VolatileCell cell, long place, Supplier<?> constructor) {
        if (cell.making.isHeldByCurrentThread()) {
            throw wrong(place, "is asked for by its own constructor, which can't have it yet.");
        }
        enter(cell, place);
        try {
            if (cell.value() == null) {
                Object value = constructor.get();
                if (value == null) {
                    throw wrong(place, "can't be null; let the constructor throw instead.");
                }
                cell.set(value);
            }
            if (cell.isDead()) {
                throw wrong(place, "is gone: its object was freed while it was made.");
            }
        } finally {
            cell.making.unlock();
        }
    }

    private void enter(VolatileCell cell, long place) {
        long deadline = System.nanoTime() + boundNanos;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    long left = deadline - System.nanoTime();
                    if (cell.making.tryLock(left, TimeUnit.NANOSECONDS)) {
                        return;
                    }
                    throw wrong(
                            place,
                            "was not made by another thread's constructor in "
                                    + TimeUnit.NANOSECONDS.toMillis(boundNanos)
                                    + " ms; let constructors wait for nothing, or raise"
                                    + " FARHEAP_LOCK_TIMEOUT_MILLIS.");
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void forget(long from, long to) {
        if (!cells.isEmpty()) {
            cells.subMap(from, to)
                    .forEach(
                            (place, cell) -> {
                                cell.die();
                                boolean unused = cells.remove(place, cell);
                            });
        }
    }

    private static FarheapException wrong(long place, String text) {
        return FarheapException.wrongUse(
                "The volatile value at 0x%s %s", Long.toHexString(place), text);
    }
}
