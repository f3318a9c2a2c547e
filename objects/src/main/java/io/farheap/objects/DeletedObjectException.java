package io.farheap.objects;

import io.farheap.base.FarheapException;

/** An object was used, or followed from a stored reference, after it was deleted. */
public final class DeletedObjectException extends FarheapException {
    private static final long serialVersionUID = 1L;

    DeletedObjectException(long place) {
        super(
                Category.WRONG_USE,
                String.format(
                        "The object at 0x%x was deleted: nothing should refer to it any more.",
                        place));
    }
}
