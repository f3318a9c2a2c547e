package io.farheap.it.readers;

import io.farheap.ObjectPool;
import io.farheap.ObjectReads;
import io.farheap.base.Ref;
import java.util.random.RandomGenerator;

/**
 * Money in two objects, whose sum no transaction changes, and the number of the last transaction in
 * a third one.
 */
final class Accounts {
    static final String LAYOUT = "accounts";
    static final int EACH = 512;
    static final long TOTAL = 2L * EACH * 1000;

    private static final long TYPE = 7;
    private static final long NUMBER = 0;
    private static final long LEFT = 16;
    private static final long RIGHT = 32;
    private static final long ROOT_BYTES = 64;

    private Accounts() {}

    static void create(ObjectPool pool) {
        Ref root = pool.root(ROOT_BYTES);
        if (!pool.getRef(root, LEFT).isNull()) {
            return;
        }
        pool.transaction(
                tx -> {
                    Ref left = tx.allocate(EACH * Long.BYTES, TYPE);
                    Ref right = tx.allocate(EACH * Long.BYTES, TYPE);
                    for (int i = 0; i < EACH; i++) {
                        tx.setLong(left, (long) i * Long.BYTES, 1000);
                        tx.setLong(right, (long) i * Long.BYTES, 1000);
                    }
                    tx.setRef(root, LEFT, left);
                    tx.setRef(root, RIGHT, right);
                });
    }

    /** One transaction, by one thread at a time: money goes from one object to the other. */
    static void move(ObjectPool pool, long number, RandomGenerator random) {
        Ref root = pool.root();
        pool.transaction(
                tx -> {
                    Ref left = tx.getRef(root, LEFT);
                    Ref right = tx.getRef(root, RIGHT);
                    long from = (long) random.nextInt(EACH) * Long.BYTES;
                    long to = (long) random.nextInt(EACH) * Long.BYTES;
                    long amount = random.nextInt(1000) - 500L;
                    tx.setLong(left, from, tx.getLong(left, from) - amount);
                    tx.setLong(right, to, tx.getLong(right, to) + amount);
                    tx.setLong(root, NUMBER, number);
                });
    }

    static long number(ObjectReads reads) {
        return reads.getLong(reads.root(), NUMBER);
    }

    /**
     * The sum of all.
     *
     * @param between run when half of it is read
     */
    static long sum(ObjectReads reads, Runnable between) {
        Ref left = reads.getRef(reads.root(), LEFT);
        long sum = sumOf(reads, left);
        between.run();
        return sum + sumOf(reads, reads.getRef(reads.root(), RIGHT));
    }

    private static long sumOf(ObjectReads reads, Ref object) {
        long sum = 0;
        for (int i = 0; i < EACH; i++) {
            sum += reads.raw().getLong(object.offset(), (long) i * Long.BYTES);
        }
        return sum;
    }
}
