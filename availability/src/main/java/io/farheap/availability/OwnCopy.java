package io.farheap.availability;

/**
 * What a node's own slot says, as far as it matters for a take-over.
 *
 * @param whole the image is not half old, half new: INSYNC
 * @param cur the number that it equals up to its tail
 * @param next the number that it was prepared for; 0: none
 * @param recordId of the record that it is of; 0: not known
 */
record OwnCopy(boolean whole, long cur, long next, long recordId) {
    OwnCopy(boolean whole, long cur, long next) {
        this(whole, cur, next, 0);
    }

    /** A copy that was prepared for the number has all content of it, whatever its state is. */
    boolean mayBecome(long number) {
        return whole && cur == number || next != 0 && next == number;
    }
}
