package io.farheap.heap;

/**
 * One object that a transaction is about to free. The object stays as it is until the redo word is
 * applied ({@link #addTo}), and its space is given out again only after {@link Heap#freed}.
 *
 * <p>Filled by {@link Heap#prepareFree}; ended by exactly one of {@link Heap#freed} and {@link
 * Heap#cancelFree}, after which it can be filled again. Offsets are image offsets, sizes bytes.
 * Belongs to one thread at a time.
 */
public final class Freeing extends RedoWord {
    private final Place place = new Place();

    Place place() {
        return place;
    }

    /** Where the object's user data starts. */
    long userOffset() {
        return place.userOffset();
    }

    /** Where the object's header starts. */
    long realOffset() {
        return place.realOffset;
    }

    /** Header and user data together. */
    long realSize() {
        return place.realSize;
    }
}
