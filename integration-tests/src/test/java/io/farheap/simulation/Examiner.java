package io.farheap.simulation;

import io.farheap.base.FarheapException;
import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.simulation.agent.PromotedCopy;
import io.farheap.simulation.agent.PromotedCopy.Claim;
import io.farheap.simulation.agent.SimulatedTarget;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;

/**
 * Looks at copies of the pool from outside: whether each ends at a commit boundary, holds every
 * acknowledged commit if it claims to be current, and has a heap in order. Knows the bytes, not the
 * product's way to them.
 */
final class Examiner {
    private final Ledger ledger;
    private final Media media;

    Examiner(Ledger ledger, Media media) {
        this.ledger = ledger;
        this.media = media;
    }

    /**
     * A replica as it lies on its target's disk: were it promoted now, it would be all there, or
     * within its bound.
     *
     * @param number the local pool's
     * @param begun whether anything was committed in that number
     * @param when for the message
     */
    void replica(int target, long number, boolean begun, String when) {
        if (!media.target(target).exists()) {
            return;
        }
        SimulatedTarget copy = media.copyOf(target);
        Claim claim = promote(copy, number, "target" + target + " " + when);
        if (claim == Claim.NONE) {
            return;
        }
        String what = "target" + target + " promoted " + when;
        if (claim == Claim.CURRENT || !begun) {
            pool(copy.image().memory(), what);
        } else {
            Lack lack = ledger.lack();
            pool(copy.image().memory(), what, lack::fault);
            require(lack.fault(), what);
        }
    }

    /** What claims to be a pool must be one. */
    private static Claim promote(SimulatedTarget copy, long number, String what) {
        try {
            return PromotedCopy.promote(copy, number);
        } catch (FarheapException e) {
            throw new Violation(what + " can't be promoted: " + e.getMessage());
        }
    }

    /** A replica after the pool was closed: it must be current. */
    void current(int target, long number) {
        SimulatedTarget copy = media.copyOf(target);
        if (!copy.exists() || PromotedCopy.promote(copy, number) != Claim.CURRENT) {
            throw new Violation("target" + target + " is not current after the pool was closed");
        }
        pool(copy.image().memory(), "target" + target + " at the end");
    }

    /** A pool's image at a transaction boundary. */
    void pool(PoolMemory image, String what) {
        pool(image, what, ledger::fault);
    }

    /**
     * The same where rows may be older.
     *
     * @param faults what is wrong with a thread's row; null: nothing
     */
    private void pool(PoolMemory image, String what, BiFunction<Integer, Row, String> faults) {
        pool(image, ledger.threads(), faults, what);
    }

    /** The same of so many threads. */
    static void pool(
            PoolMemory image, int threads, BiFunction<Integer, Row, String> faults, String what) {
        long root = image.getLong(Descriptor.ROOT_OFFSET);
        Set<Long> objects = new TreeSet<>();
        objects.add(root);
        long shares = 0;
        for (int thread = 0; thread < threads; thread++) {
            Row row = row(image, root + Cells.row(thread), what + ", thread " + thread);
            require(faults.apply(thread, row), what);
            shares += row.shared();
            if (row.objectOf() != 0) {
                long object = image.getLong(root + Cells.row(thread) + Cells.OBJECT + Long.BYTES);
                object(image, object, thread, row.objectOf(), what);
                objects.add(object);
            }
        }
        long shared = image.getLong(root + Cells.SHARED);
        if (shared != shares) {
            throw new Violation(what + ": the shared count is " + shared + ", not " + shares);
        }
        heap(image, objects, what);
    }

    private static void require(String fault, String what) {
        if (fault != null) {
            throw new Violation(what + ": " + fault);
        }
    }

    private static Row row(PoolMemory image, long at, String what) {
        Row row =
                new Row(
                        image.getLong(at + Cells.COUNT),
                        image.getLong(at + Cells.ATTEMPT),
                        image.getLong(at + Cells.SHARES),
                        image.getLong(at + Cells.OBJECT_OF));
        if (image.getLong(at + Cells.CHECK) != (row.equals(Row.NOTHING) ? 0 : row.check())) {
            throw new Violation(what + ": half a commit: " + row);
        }
        return row;
    }

    private static void object(
            PoolMemory image, long object, int thread, long attempt, String what) {
        for (int i = 0; i < Cells.sizeOf(attempt); i++) {
            if (image.getByte(object + i) != Cells.byteOf(thread, attempt, i)) {
                throw new Violation(
                        what
                                + ": the object of thread "
                                + thread
                                + " at "
                                + object
                                + " is not what attempt "
                                + attempt
                                + " wrote, from byte "
                                + i);
            }
        }
    }

    private static void heap(PoolMemory image, Set<Long> expected, String what) {
        Set<Long> found = new TreeSet<>();
        Descriptor descriptor = new Descriptor(image);
        HeapWalk.walk(
                image.image(),
                descriptor.heapOffset(),
                descriptor.heapSize(),
                new HeapWalk.Visitor() {
                    @Override
                    public void object(HeapWalk.HeapObject object) {
                        found.add(object.userOffset());
                    }

                    @Override
                    public void inconsistency(HeapWalk.Inconsistency inconsistency) {
                        throw new Violation(what + ": heap: " + inconsistency);
                    }
                });
        if (!found.equals(expected)) {
            throw new Violation(
                    what + ": the heap has the objects " + found + ", used are " + expected);
        }
    }
}
