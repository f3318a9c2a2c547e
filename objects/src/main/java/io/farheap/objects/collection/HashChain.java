package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;

/** The entries of a bucket of a hash map, one after the other. */
final class HashChain {
    static final String WHAT = "map or set";

    private HashChain() {}

    static CircleWatch watch(long header) {
        return new CircleWatch(WHAT, header);
    }

    static long next(HeapTransaction tx, long entry) {
        return tx.getLong(entry, HashLayout.NEXT);
    }

    /** The entry before another one of a chain, which is not the first. */
    static long before(HeapTransaction tx, long header, long first, long entry) {
        long before = first;
        CircleWatch watch = null;
        for (int steps = 0; ; steps++) {
            if (before == 0) {
                throw damaged(header, "an entry is not in the bucket of its hash");
            }
            long next = next(tx, before);
            if (next == entry) {
                return before;
            }
            watch = passed(watch, header, steps, before);
            before = next;
        }
    }

    /**
     * One more entry of a chain: only a long one costs a watch.
     *
     * @param watch null until there was one
     */
    static CircleWatch passed(CircleWatch watch, long header, int steps, long entry) {
        if (steps < CircleWatch.SHORT) {
            return watch;
        }
        CircleWatch further = watch == null ? watch(header) : watch;
        further.pass(entry);
        return further;
    }

    static FarheapException damaged(long header, String otherwise) {
        return CollectionCheck.damaged(WHAT, header, otherwise);
    }
}
