package io.farheap.engine;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Scratches between uses, so that payload lambdas allocate nothing in the steady state whatever
 * kind of thread runs them. Lambdas may nest: each takes its own.
 */
public final class ScratchPool {
    /** More than this many at once are made and forgotten. */
    private static final int SLOTS = 64;

    private final AtomicReferenceArray<Scratch> slots = new AtomicReferenceArray<>(SLOTS);

    public Scratch take() {
        int start = (int) Thread.currentThread().threadId();
        for (int i = 0; i < SLOTS; i++) {
            int slot = (start + i) & (SLOTS - 1);
            if (slots.getPlain(slot) != null) {
                Scratch scratch = slots.getAndSet(slot, null);
                if (scratch != null) {
                    return scratch;
                }
            }
        }
        return new Scratch();
    }

    public void put(Scratch scratch) {
        scratch.park();
        int start = (int) Thread.currentThread().threadId();
        for (int i = 0; i < SLOTS; i++) {
            int slot = (start + i) & (SLOTS - 1);
            if (slots.getPlain(slot) == null && slots.compareAndSet(slot, null, scratch)) {
                return;
            }
        }
    }
}
