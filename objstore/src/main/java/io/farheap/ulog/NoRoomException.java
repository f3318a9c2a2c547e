package io.farheap.ulog;

import io.farheap.base.FarheapException;

/**
 * The pool is full: no free memory is large enough. Nothing else that fails while memory is
 * reserved, such as a medium that does not take the stores, is told by this class: only here a
 * smaller piece may do.
 */
public final class NoRoomException extends FarheapException {
    private static final long serialVersionUID = 1L;

    public NoRoomException(String message) {
        super(Category.ENVIRONMENT, message);
    }
}
