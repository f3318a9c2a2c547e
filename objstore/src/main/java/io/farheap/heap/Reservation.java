package io.farheap.heap;

/**
 * Space for one object that the heap holds for a transaction. Nothing durable says that it is
 * allocated until the redo word is applied ({@link #addTo}); after a crash before that it is free
 * by itself.
 *
 * <p>Filled by {@link Heap#reserve}; ended by exactly one of {@link Heap#published} and {@link
 * Heap#cancel}, after which it can be filled again. Offsets are image offsets, sizes bytes. Belongs
 * to one thread at a time.
 */
public final class Reservation extends RedoWord {
    private final Place place = new Place();

    Place place() {
        return place;
    }

    /** Where the object's user data starts: what a reference names. */
    public long userOffset() {
        return place.userOffset();
    }

    /** How many bytes of user data it has, at least what was asked for. */
    public long usableSize() {
        return place.realSize - place.headerSize;
    }

    /** Where the object's header starts, written by the reservation, not flushed. */
    public long realOffset() {
        return place.realOffset;
    }

    /** Header and user data together. */
    public long realSize() {
        return place.realSize;
    }
}
