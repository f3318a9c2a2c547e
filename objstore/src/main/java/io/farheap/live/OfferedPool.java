package io.farheap.live;

import io.farheap.base.FarheapException;
import io.farheap.engine.PoolEngine;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** An open pool that may be copied, until it is withdrawn. Thread-safe. */
final class OfferedPool {
    /**
     * A command that was killed lets the pool go with the next message that can't be sent to it.
     */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

    private final PoolEngine engine;
    private final MemorySegment header;
    private final Supplier<Map<String, Long>> figures;
    private final Function<Boolean, ReloadedFile> reload;
    private boolean copying;
    private boolean withdrawn;

    OfferedPool(
            PoolEngine engine,
            MemorySegment header,
            Supplier<Map<String, Long>> figures,
            Function<Boolean, ReloadedFile> reload) {
        this.engine = engine;
        this.header = header;
        this.figures = figures;
        this.reload = reload;
    }

    /**
     * What the pool counts; it may be closed meanwhile. To count its space takes time, for which
     * nobody who copies it waits.
     */
    Map<String, Long> figures() {
        synchronized (this) {
            requireOffered();
        }
        return figures.get();
    }

    /** Has its poolset file read again; it may be closed meanwhile. */
    ReloadedFile reload(boolean alone) {
        synchronized (this) {
            requireOffered();
        }
        return reload.apply(alone);
    }

    PoolEngine engine() {
        return engine;
    }

    MemorySegment header() {
        return header;
    }

    /**
     * Takes the pool for one copy, until {@link #end}; waits some seconds for the end of another.
     *
     * @throws FarheapException ENVIRONMENT when another copy is still under way then
     */
    void begin() throws InterruptedException {
        begin(PATIENCE);
    }

    synchronized void begin(long patienceNanos) throws InterruptedException {
        requireOffered();
        long end = System.nanoTime() + patienceNanos;
        while (copying) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw FarheapException.environment(
                        "%s is being backed up by somebody else; try again when that has ended",
                        engine.image().name());
            }
            awaitEnd(left);
        }
        copying = true;
    }

    synchronized void end() {
        copying = false;
        notifyAll();
    }

    /** Reads of the image, which stays mapped meanwhile. */
    synchronized void read(long offset, MemorySegment target) {
        requireOffered();
        engine.image().copyOut(offset, target, 0, target.byteSize());
    }

    /** Refuses files that were cut off, before what was read of them is passed on. */
    synchronized void requireWhole() {
        requireOffered();
        engine.image().requireWhole();
    }

    /** From now on nothing is read any more. */
    synchronized void withdraw() {
        withdrawn = true;
        notifyAll();
    }

    /** Waits, but not beyond the end of a copy or the withdrawal. */
    synchronized void awaitEnd(long nanos) throws InterruptedException {
        requireOffered();
        TimeUnit.NANOSECONDS.timedWait(this, nanos);
        requireOffered();
    }

    private void requireOffered() {
        if (withdrawn) {
            throw FarheapException.environment(
                    "%s was closed meanwhile; give the same command again", engine.image().name());
        }
    }
}
