package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;

/**
 * Has the heap look at each object that a value refers to before the value is stored: {@link
 * ObjectReferences#requireThere}. Of one transaction.
 */
record ReferredObjects(HeapTransaction tx) implements Reach {
    @Override
    public void block(long offset) {
        throw new AssertionError("a value that is not stored yet owns no block");
    }

    @Override
    public void object(long offset) {
        throw new AssertionError("a reference is of a heap");
    }

    @Override
    public void object(long offset, ObjectReferences references) {
        references.requireThere(tx, offset);
    }
}
