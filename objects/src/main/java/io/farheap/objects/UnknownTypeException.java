package io.farheap.objects;

import io.farheap.base.FarheapException;

/** A type that nothing led to when the heap was opened; the heap adds it and begins again. */
final class UnknownTypeException extends FarheapException {
    private static final long serialVersionUID = 1L;

    private final transient Class<?> type;

    UnknownTypeException(Class<?> type) {
        super(
                Category.WRONG_USE,
                String.format(
                        "%s is not among the types of this heap yet, and can't be added in the"
                                + " middle of a call of a collection: name it when the heap is opened,"
                                + " or call heap.transaction() around.",
                        type.getName()));
        this.type = type;
    }

    Class<?> type() {
        return type;
    }
}
