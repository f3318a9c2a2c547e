package io.farheap.objects;

import io.farheap.base.FarheapException;

/**
 * An object of a replica was read before its writer got other types: it is to be read again, from
 * the root. Who does more than one step within {@link HeapReplica#read} never meets it.
 */
public final class OutdatedObjectException extends FarheapException {
    private static final long serialVersionUID = 1L;

    private final transient ReplicaTypes types;

    /**
     * @param types that it was read with
     */
    OutdatedObjectException(ReplicaTypes types) {
        super(
                Category.WRONG_USE,
                "The writer of this replica has got other types since the object was read: read it"
                        + " again, from the root.");
        this.types = types;
    }

    boolean isOf(ReplicaTypes ofTypes) {
        return types == ofTypes;
    }
}
