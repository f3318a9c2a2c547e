package io.farheap.objects.value;

/** Told what a slot names. */
public interface Reach {
    /** A block that the slot owns, and nothing else does. */
    void block(long offset);

    /** An object that the slot refers to. */
    void object(long offset);

    /**
     * The same.
     *
     * @param references of the heap that it is in
     */
    default void object(long offset, ObjectReferences references) {
        object(offset);
    }
}
