package io.farheap.objects.transaction;

import java.util.function.LongUnaryOperator;

/** Numbered cells in a heap, each with a number in it: 0 at first. */
interface RecordedCells {
    int count();

    /** In the transaction or read under way. */
    long get(int cell);

    /**
     * In the transaction under way.
     *
     * @param moved whether the number comes to lie in another place, where the cell can
     */
    void set(int cell, long value, boolean moved);

    /** Whether {@link #get} is one call of the heap, which may be made outside of transactions. */
    default boolean isReadByOneCall(int cell) {
        return false;
    }

    /**
     * Sets a cell by one call outside of transactions.
     *
     * @param next what comes after the number that is there
     * @return false where there is no such call for this cell
     */
    default boolean setAlone(int cell, LongUnaryOperator next) {
        return false;
    }
}
