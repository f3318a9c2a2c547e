package io.farheap.objects.value;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;

/**
 * Looks at each object that a value refers to before the value is stored: it is there, and a
 * transaction that deletes it conflicts with this one. So there is never a new reference to the
 * place of a deleted object. Of one transaction.
 */
record ReferredObjects(HeapTransaction tx) implements Reach {
    @Override
    public void block(long offset) {
        throw new AssertionError("An image owns no block.");
    }

    @Override
    public void object(long offset) {
        if (tx.getLong(offset, 0) == 0) {
            throw FarheapException.wrongUse(
                    "The object at 0x%x was deleted: nothing should refer to it any more.", offset);
        }
    }
}
