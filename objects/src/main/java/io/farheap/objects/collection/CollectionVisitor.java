package io.farheap.objects.collection;

import io.farheap.objects.value.ValueType;

/** Who walks what a collection owns: each object once, and each slot that holds a value. */
public interface CollectionVisitor {
    /** An object that the collection owns, its header first. */
    void object(long offset);

    /** A slot in one of these objects, with a value in it. */
    void slot(ValueType<?> type, long object, long offset);
}
