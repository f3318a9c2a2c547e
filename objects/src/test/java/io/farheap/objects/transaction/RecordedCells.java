package io.farheap.objects.transaction;

import java.util.function.LongUnaryOperator;

/** Numbered cells in a heap, each with a number in it: 0 at first. */
interface RecordedCells {
    int count();

    long get(HeapTransaction tx, int cell);

    /**
     * @param moved whether the number comes to lie in another place, where the cell can
     */
    void set(HeapTransaction tx, int cell, long value, boolean moved);

    /**
     * Sets a cell by one call outside of transactions.
     *
     * @param next what comes after the number that is there
     * @return false where there is no such call for this cell
     */
    boolean setAlone(int cell, LongUnaryOperator next);
}
