package io.farheap.objects.transaction;

/**
 * Registers of three kinds: words of a shared object, two of which are in one line; objects; and
 * cells behind references, which may be replaced by new ones and freed.
 */
final class Registers implements RecordedCells {
    private static final int COUNT = 18;

    private static final int SHARED = 6;
    private static final int OBJECTS = 12;
    private static final long TYPE = 7;

    private final HeapTransactions heap;
    private final long shared;
    private final long[] objects = new long[COUNT];

    Registers(HeapTransactions heap) {
        this.heap = heap;
        shared = heap.transaction(tx -> tx.allocate(SHARED * 32L, TYPE));
        for (int i = SHARED; i < COUNT; i++) {
            objects[i] = heap.transaction(tx -> tx.allocate(64, TYPE));
        }
        for (int i = OBJECTS; i < COUNT; i++) {
            long holder = objects[i];
            heap.transaction(
                    tx -> {
                        tx.setLong(holder, 8, tx.allocate(64, TYPE));
                        return null;
                    });
        }
    }

    @Override
    public int count() {
        return COUNT;
    }

    @Override
    public long get(int register) {
        HeapTransaction tx = heap.current();
        if (register < SHARED) {
            return tx.getSharedLong(shared, register * 32L);
        }
        if (register < OBJECTS) {
            return tx.getLong(objects[register], 0);
        }
        return tx.getLong(tx.getLong(objects[register], 8), 16);
    }

    @Override
    public void set(int register, long value, boolean moved) {
        HeapTransaction tx = heap.current();
        if (register < SHARED) {
            tx.setSharedLong(shared, register * 32L, value);
        } else if (register < OBJECTS) {
            tx.setLong(objects[register], 0, value);
        } else if (moved) {
            long old = tx.getLong(objects[register], 8);
            long cell = tx.allocate(64, TYPE);
            tx.setLong(cell, 16, value);
            tx.setLong(objects[register], 8, cell);
            tx.setLong(old, 16, -1);
            tx.free(old);
        } else {
            tx.setLong(tx.getLong(objects[register], 8), 16, value);
        }
    }
}
