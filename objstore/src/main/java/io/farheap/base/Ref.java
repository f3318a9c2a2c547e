package io.farheap.base;

/**
 * A reference to an object: the pool it lives in and the image offset of its first byte.
 *
 * <p>In the pool it takes {@value #BYTES} bytes (libpmemobj's PMEMoid: pool id, offset). A
 * reference is only a value: it stays equal when the object is freed, and using it then is an error
 * of the call that uses it.
 *
 * @param poolId the pool's id, the same in every run and on every replica
 * @param offset image offset of the object in bytes; 0 for {@link #NULL}
 */
public record Ref(long poolId, long offset) {

    /** Bytes a stored reference takes; 8-byte aligned in the object by convention. */
    public static final int BYTES = 16;

    /** No object. Any stored reference whose offset is 0 reads as this one. */
    public static final Ref NULL = new Ref(0, 0);

    /** Whether this refers to no object. */
    public boolean isNull() {
        return offset == 0;
    }

    @Override
    public String toString() {
        return isNull() ? "null" : String.format("%016x:0x%x", poolId, offset);
    }
}
