package io.farheap.heap;

import io.farheap.base.FarheapException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The arenas of a heap and which thread uses which: one of the automatic ones in turn, or the one
 * it asked for. Thread-safe; asking for a thread's arena takes no lock.
 */
public final class HeapArenas {
    private static final int DEFAULT_MAX = 1024;

    /** The number of a thread's arena: the arena itself would keep a closed heap in memory. */
    private static final class Assignment {
        private int arena;
    }

    final HeapArena unassigned = new HeapArena(HeapArena.UNASSIGNED, false);
    private final boolean oneForAll;
    private final ThreadLocal<Assignment> assignments = ThreadLocal.withInitial(this::assign);
    private final AtomicInteger turn = new AtomicInteger();

    /** Arena n is at n - 1. */
    private volatile HeapArena[] all;

    private volatile HeapArena common;
    private int max;

    HeapArenas(HeapSettings settings) {
        all = new HeapArena[settings.arenas()];
        for (int i = 0; i < all.length; i++) {
            all[i] = new HeapArena(i + 1, true);
        }
        common = all[0];
        oneForAll = settings.oneForAll();
        max = Math.max(DEFAULT_MAX, all.length);
    }

    /** The arena that the calling thread allocates from. */
    HeapArena ofThread() {
        return oneForAll ? common : all[assignments.get().arena - 1];
    }

    /** Alone with changes of what is automatic: there is an automatic one at every moment. */
    private synchronized Assignment assign() {
        Assignment assignment = new Assignment();
        HeapArena[] arenas = all;
        int start = Math.floorMod(turn.getAndIncrement(), arenas.length);
        for (int i = 0; i < arenas.length; i++) {
            HeapArena arena = arenas[(start + i) % arenas.length];
            if (arena.automatic()) {
                assignment.arena = arena.id;
                return assignment;
            }
        }
        throw new IllegalStateException("there is always an automatic arena");
    }

    /** The number of the arena that the calling thread allocates from. */
    public int threadArena() {
        return ofThread().id;
    }

    /**
     * From now on the calling thread, or all of them if they share one, allocates from it.
     *
     * @throws FarheapException WRONG_USE when there is none with this number
     */
    public void assignThread(int id) {
        HeapArena arena = get(id);
        if (oneForAll) {
            common = arena;
        } else {
            assignments.get().arena = arena.id;
        }
    }

    /**
     * The arena with a number.
     *
     * @throws FarheapException WRONG_USE when there is none
     */
    HeapArena get(int id) {
        HeapArena[] arenas = all;
        if (id < 1 || id > arenas.length) {
            throw FarheapException.wrongUse(
                    "there is no arena %s: the heap has arenas 1 to %s; create one first",
                    id, arenas.length);
        }
        return arenas[id - 1];
    }

    /** All arenas that threads may use; not to be changed. */
    HeapArena[] all() {
        return all;
    }

    /** How many there are; their numbers are 1 to this. */
    public int count() {
        return all.length;
    }

    /**
     * Bytes of the runs of an arena, free units included.
     *
     * @throws FarheapException WRONG_USE when there is none with this number
     */
    public long bytes(int id) {
        return get(id).bytes();
    }

    /**
     * Whether threads are assigned to it that did not ask for an arena.
     *
     * @throws FarheapException WRONG_USE when there is none with this number
     */
    public boolean isAutomatic(int id) {
        return get(id).automatic();
    }

    /** How many are automatic. */
    public int automatic() {
        int count = 0;
        for (HeapArena arena : all) {
            count += arena.automatic() ? 1 : 0;
        }
        return count;
    }

    /**
     * Whether threads shall be assigned to it from now on; those that are keep it.
     *
     * @throws FarheapException WRONG_USE when no automatic arena would be left, or there is none
     *     with this number
     */
    public synchronized void setAutomatic(int id, boolean wanted) {
        HeapArena arena = get(id);
        if (!wanted && arena.automatic() && automatic() == 1) {
            throw FarheapException.wrongUse(
                    "arena %s is the only automatic one, and threads that ask for none"
                            + " need one: make another one automatic first",
                    id);
        }
        arena.setAutomatic(wanted);
    }

    /**
     * Makes an arena that is not automatic, and returns its number.
     *
     * @throws FarheapException WRONG_USE when there are as many as there may be
     */
    public synchronized int create() {
        HeapArena[] old = all;
        if (old.length >= max) {
            throw FarheapException.wrongUse(
                    "the heap has %s arenas, as many as it may: raise the maximum first", max);
        }
        HeapArena[] more = Arrays.copyOf(old, old.length + 1);
        more[old.length] = new HeapArena(more.length, false);
        all = more;
        return more.length;
    }

    /** How many there may be. */
    public synchronized int max() {
        return max;
    }

    /**
     * How many there may be from now on.
     *
     * @throws FarheapException WRONG_USE when it is less than before
     */
    public synchronized void setMax(int wanted) {
        if (wanted < max) {
            throw FarheapException.wrongUse(
                    "the most arenas a heap may have can't become %s: it is %s and can"
                            + " only grow",
                    wanted, max);
        }
        max = wanted;
    }
}
