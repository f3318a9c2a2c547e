package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import io.farheap.base.SnapshotTooOldException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * What a read does where a unit is not as its snapshot has it in place: a read that has a slot
 * takes old bytes, a glance has none and is {@linkplain #isOvertaken overtaken}. Used again by its
 * thread; not thread-safe. Not final for tests, which take rules away.
 */
class HeapReader {
    /** Without a trace: it never leaves the heap. */
    private static final OvertakenException OVERTAKEN = new OvertakenException();

    private final HeapState heap;
    private int slot;
    private boolean isGlance;
    private boolean overtaken;
    private boolean tooOld;

    HeapReader(HeapState heap) {
        this.heap = heap;
        this.slot = heap.active.hint();
    }

    /** Ends a glance whose snapshot is gone. */
    static final class OvertakenException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OvertakenException() {
            super("a commit overtook a glance", null, false, false);
        }
    }

    /** Begins a read; returns its snapshot. */
    final long begin() {
        slot = heap.active.claimForRead(slot);
        isGlance = false;
        overtaken = false;
        tooOld = false;
        long snapshot = heap.clock.watermark();
        heap.active.sees(slot, snapshot);
        return snapshot;
    }

    final void end() {
        heap.active.release(slot);
        heap.history.dropUnneeded();
    }

    /** Begins a glance; returns its snapshot. Nothing holds old bytes for it. */
    final long beginGlance() {
        isGlance = true;
        overtaken = false;
        tooOld = false;
        return heap.clock.watermark();
    }

    /** Whether a glance met a commit; it may have caught what said so. */
    boolean isOvertaken() {
        return overtaken;
    }

    /** Whether a read's old bytes had no room; it may have caught what said so. */
    final boolean isTooOld() {
        return tooOld;
    }

    /** Refuses what a body made of old bytes without room when it caught what said so. */
    final void requireWhole() {
        if (tooOld) {
            throw heap.history.tooOld();
        }
    }

    // ---- what is not in place any more ----

    final long number(int stripe, long snapshot, long from, int size) {
        refuseGlance();
        heap.active.beginWalk(slot);
        try {
            long inPlace = Numbers.load(heap.memory, from, size);
            return heap.history.number(stripe, snapshot, from, size, inPlace);
        } catch (SnapshotTooOldException failure) {
            tooOld = true;
            throw failure;
        } finally {
            heap.active.endWalk(slot);
        }
    }

    final void bytes(
            int stripe, long snapshot, long from, MemorySegment target, long at, long length) {
        refuseGlance();
        heap.active.beginWalk(slot);
        try {
            heap.memory.copyOut(from, target, at, length);
            heap.history.bytes(stripe, snapshot, from, length, target, at);
        } catch (SnapshotTooOldException failure) {
            tooOld = true;
            throw failure;
        } finally {
            heap.active.endWalk(slot);
        }
    }

    /** A glance ends here: nothing holds the bytes that it would need. */
    void refuseGlance() {
        if (isGlance) {
            overtaken = true;
            throw OVERTAKEN;
        }
    }

    /** Another commit may have freed it since the snapshot; its size went with its bytes. */
    long usableSize(long snapshot, long object) {
        int stripe = Stripes.of(object);
        int firstLine = Stripes.of(Stripes.unitOfLine(object));
        FarheapException unknown = null;
        long now = 0;
        try {
            now = heap.engine.usableSize(object);
        } catch (FarheapException noObject) {
            unknown = noObject;
        }
        VarHandle.loadLoadFence(); // who freed it had locked it before
        if (isGlance && !(isInPlace(stripe, snapshot) && isInPlace(firstLine, snapshot))) {
            refuseGlance();
        }
        long freed = isGlance ? 0 : freedSize(stripe, firstLine, snapshot, object);
        if (freed == 0 && unknown != null) {
            throw HeapWriter.noObject(object, unknown);
        }
        return freed != 0 ? freed : now;
    }

    private long freedSize(int stripe, int firstLine, long snapshot, long object) {
        heap.active.beginWalk(slot);
        try {
            long freed = heap.history.freedSize(stripe, snapshot, object);
            return freed != 0 ? freed : heap.history.freedSize(firstLine, snapshot, object);
        } catch (SnapshotTooOldException failure) {
            tooOld = true;
            throw failure;
        } finally {
            heap.active.endWalk(slot);
        }
    }

    /** The root object of the pool; 0 for none. */
    long root() {
        return heap.engine.root().offset();
    }

    private boolean isInPlace(int stripe, long snapshot) {
        return Stripes.isReadable(heap.stripes.word(stripe), snapshot);
    }
}
