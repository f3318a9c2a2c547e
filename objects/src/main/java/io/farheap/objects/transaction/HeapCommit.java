package io.farheap.objects.transaction;

import io.farheap.engine.LaneTransaction;
import java.lang.invoke.VarHandle;

/**
 * How a transaction becomes visible as a whole, and durable. The order is what makes it right;
 * {@link #commit} is that order. Without state, thread-safe. Not final for tests, which leave steps
 * out or stop between them.
 *
 * <p>Locks are taken in no order and given back when one is held: nobody waits for a lock with a
 * lock in hand.
 */
class HeapCommit {
    /**
     * Commits what a transaction wrote.
     *
     * @return false for a conflict, noted in the writer: nothing was stored, and the lane is still
     *     to be given back
     * @throws RuntimeException what the pool's commit throws: all is rolled back, the lane given
     *     back
     */
    final boolean commit(HeapState heap, HeapWriter writer, int slot) {
        long version = 0;
        heap.latch.acquireShared(slot);
        try {
            if (!lockWritten(heap, writer)) {
                return false;
            }
            version = heap.clock.next();
            if (!isCurrent(writer)) {
                return false;
            }
            saveOldBytes(heap, writer, version);
            VarHandle.storeStoreFence(); // locks and old bytes are seen before any new byte
            boolean committed = false;
            try {
                heap.watchers.tell(writer);
                storeDurably(writer);
                committed = true;
            } finally {
                publish(heap, writer, version, committed);
            }
            return true;
        } finally {
            giveBack(heap, writer);
            if (version != 0) {
                heap.clock.finish(version);
            }
            heap.latch.releaseShared(slot);
            if (version != 0) {
                heap.clock.awaitFinished(version);
                writer.oldBytes.end(heap.history.release(writer.oldBytes.first()));
            }
        }
    }

    private static boolean lockWritten(HeapState heap, HeapWriter writer) {
        for (int i = 0; i < writer.written.size(); i++) {
            long unit = writer.written.unit(i);
            int stripe = Stripes.of(unit);
            if (!writer.locked.contains(stripe)) {
                writer.locked.makeRoom(); // nothing may fail once the lock is taken
                long word = heap.stripes.word(stripe);
                if (!Stripes.isReadable(word, writer.snapshot())
                        || !heap.stripes.tryLock(stripe, word)) {
                    writer.noteConflict(stripe, unit);
                    return false;
                }
                writer.locked.add(stripe, word);
            }
        }
        return true;
    }

    /** Whether nothing that it read has changed: asked once the version is taken. */
    boolean isCurrent(HeapWriter writer) {
        return writer.isCurrent();
    }

    /** For reads that see the time before this commit: before the first store in place. */
    void saveOldBytes(HeapState heap, HeapWriter writer, long version) {
        WrittenUnits written = writer.written;
        long bytes = 0;
        for (int i = 0; i < written.size(); i++) {
            bytes += written.end(i) - written.start(i);
        }
        if (!heap.history.makeRoom(bytes, version)) {
            return;
        }
        for (int i = 0; i < written.size(); i++) {
            int stripe = Stripes.of(written.unit(i));
            long start = written.start(i);
            while (start < written.end(i)) {
                int length = (int) Math.min(OldBytes.LONGEST, written.end(i) - start);
                OldBytes entry = writer.oldBytes.save(heap.memory, stripe, version, start, length);
                entry.freedSize = writer.freed.sizeOf(start);
                heap.history.push(entry);
                start += length;
            }
        }
    }

    /**
     * The pool's own commit. What is freed is only told to the allocator now: until here another
     * transaction could be about to free it, too.
     */
    void storeDurably(HeapWriter writer) {
        LaneTransaction lane = writer.lane();
        try {
            for (int i = 0; i < writer.freed.size(); i++) {
                lane.free(writer.freed.unit(i));
            }
            writer.commitLane();
        } catch (Throwable failure) {
            writer.abortLane(failure);
            throw failure;
        }
    }

    /**
     * Readers see it from the watermark on. A commit that failed was rolled back, but a reader may
     * have loaded what was there in between: its second look must tell.
     */
    void publish(HeapState heap, HeapWriter writer, long version, boolean committed) {
        for (int i = 0; i < writer.locked.size(); i++) {
            heap.stripes.publish(writer.locked.stripe(i), version);
        }
        writer.locked.clear();
    }

    /** What is still locked, nothing was stored in. */
    private static void giveBack(HeapState heap, HeapWriter writer) {
        for (int i = 0; i < writer.locked.size(); i++) {
            heap.stripes.giveBack(writer.locked.stripe(i), writer.locked.number(i));
        }
        writer.locked.clear();
    }
}
