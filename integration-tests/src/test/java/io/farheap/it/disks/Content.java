package io.farheap.it.disks;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;

/**
 * What a reader sees of the pool of these tests.
 *
 * @param counter of its transactions
 * @param filled what all words of the region are
 * @param objects how many there are
 */
record Content(long counter, long filled, long objects) {
    static final long TORN = -1;

    private static final int REGION = 60 << 10;
    private static final long TYPE = 5;

    static Content of(ObjectPool pool) {
        Ref root = pool.root(REGION);
        long filled = pool.getLong(root, 8);
        for (long at = 16; at < REGION; at += 8) {
            filled = pool.getLong(root, at) == filled ? filled : TORN;
        }
        long objects = 0;
        for (Ref unused : pool.objects(TYPE)) {
            objects++;
        }
        return new Content(pool.getLong(root, 0), filled, objects);
    }

    /** One word and one object more. */
    static void commit(ObjectPool pool) {
        Ref root = pool.root(REGION);
        pool.transaction(
                tx -> {
                    tx.setLong(tx.allocate(200, TYPE), 0, 1);
                    tx.setLong(root, 0, tx.getLong(root, 0) + 1);
                });
    }

    /** More than fits into the lane's log and a journal's lap at once. */
    static void commitALot(ObjectPool pool) {
        Ref root = pool.root(REGION);
        pool.transaction(
                tx -> {
                    long next = tx.getLong(root, 8) + 1;
                    for (long at = 8; at < REGION; at += 8) {
                        tx.setLong(root, at, next);
                    }
                });
    }
}
