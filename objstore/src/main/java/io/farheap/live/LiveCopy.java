package io.farheap.live;

import io.farheap.base.FarheapException;
import io.farheap.engine.PoolEngine;
import io.farheap.layout.Descriptor;
import io.farheap.memory.ChangedRegions;
import io.farheap.memory.PoolMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/**
 * One copy of an open pool's image while commits go on (docs/backup.md#a-live-pool): in rounds,
 * each of what was flushed since its piece was copied. The last one is made while nothing is under
 * way, which is a commit boundary, and only when so little is left that commits may wait for it; it
 * goes to memory, so that nobody waits for the receiver. For one thread.
 */
final class LiveCopy {
    private static final int PIECE = 1 << 20;

    /** Copied in some milliseconds, while commits wait. */
    static final int MOST_HELD = 16 << 20;

    /** Rounds that don't get there: the pool is stored to faster than it is copied. */
    private static final int MOST_ROUNDS = 1000;

    /** How long a moment is waited for in which no transaction is under way. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final OfferedPool pool;
    private final PoolEngine engine;
    private final PoolMemory memory;
    private final LiveReceiver receiver;
    private final MemorySegment piece = Arena.ofAuto().allocate(PIECE, Long.BYTES);
    private final MemorySegment zeros = Arena.ofAuto().allocate(PIECE, Long.BYTES);
    private final HeldRanges held = new HeldRanges(MOST_HELD);
    private int rounds;

    LiveCopy(OfferedPool pool, LiveReceiver receiver) {
        this.pool = pool;
        this.engine = pool.engine();
        this.memory = engine.image();
        this.receiver = receiver;
    }

    /**
     * Copies.
     *
     * @throws FarheapException when the pool fails or is closed meanwhile, or never stands still
     * @throws IOException of the receiver
     */
    LivePoint run() throws IOException, InterruptedException {
        try {
            LivePoint point = null;
            while (point == null) {
                point = copy();
            }
            return point;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } finally {
            memory.noteChanges(null);
        }
    }

    /** Null: the pool has grown meanwhile. */
    private LivePoint copy() throws IOException, InterruptedException {
        long size = memory.size();
        ChangedRegions changes = new ChangedRegions(size);
        begin(changes);
        receiver.begin(size, pool.header());
        for (long at = 0; at < size; at += PIECE) {
            send(at, Math.min(PIECE, size - at), true);
        }
        while (changes.bytes() > MOST_HELD) {
            sendChanges(changes);
        }
        return end(changes, size);
    }

    /** What is stored before is seen by the copy, what is stored later is noted. */
    private void begin(ChangedRegions changes) throws InterruptedException {
        Patience patience = new Patience();
        while (!engine.whileBrieflyQuiet(() -> memory.noteChanges(changes))) {
            patience.pause();
        }
    }

    private void sendChanges(ChangedRegions changes) {
        if (++rounds > MOST_ROUNDS) {
            throw FarheapException.environment(
                    "%s changes faster than it can be copied; try when less is committed",
                    memory.name());
        }
        changes.takeEach(
                (offset, length) -> {
                    try {
                        for (long at = 0; at < length; at += PIECE) {
                            send(offset + at, Math.min(PIECE, length - at), false);
                        }
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    private void send(long offset, long length, boolean first) throws IOException {
        MemorySegment content = piece.asSlice(0, length);
        pool.read(offset, content);
        pool.requireWhole();
        if (!first || content.mismatch(zeros.asSlice(0, length)) >= 0) {
            receiver.range(offset, content);
        }
    }

    private LivePoint end(ChangedRegions changes, long size)
            throws IOException, InterruptedException {
        Patience patience = new Patience();
        LivePoint[] point = new LivePoint[1];
        while (point[0] == null) {
            long start = System.nanoTime();
            boolean quiet =
                    engine.whileBrieflyQuiet(
                            () -> point[0] = copyRest(changes, size, System.nanoTime() - start));
            if (!quiet) {
                patience.pause();
            }
            if (memory.size() != size) {
                return null;
            }
            if (point[0] == null) {
                sendChanges(changes); // meanwhile, so that little is left when it comes about
            }
        }
        pool.requireWhole();
        held.each(receiver);
        return point[0];
    }

    /** Null: too much has changed since the last round. */
    private LivePoint copyRest(ChangedRegions changes, long size, long waited) {
        engine.ensureUsable();
        if (memory.size() != size || changes.bytes() > MOST_HELD) {
            return null;
        }
        long start = System.nanoTime();
        held.clear();
        changes.takeEach((offset, length) -> pool.read(offset, held.next(offset, length)));
        long runId = new Descriptor(memory).runId();
        return new LivePoint(runId, engine.commits(), waited + System.nanoTime() - start);
    }

    /** Waits between attempts, in which commits go on, and not for ever. */
    private final class Patience {
        private final long end = System.nanoTime() + PATIENCE;
        private long pause = TimeUnit.MILLISECONDS.toNanos(1);

        void pause() throws InterruptedException {
            engine.ensureUsable();
            if (System.nanoTime() - end > 0) {
                throw FarheapException.environment(
                        "%s had a transaction under way at every look for %s s, and is only copied"
                                + " between transactions; nothing was held up; try again when it"
                                + " has ended",
                        memory.name(), TimeUnit.NANOSECONDS.toSeconds(PATIENCE));
            }
            pool.awaitEnd(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }
    }
}
