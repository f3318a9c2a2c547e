package io.farheap.replication.dirty;

/** A set of bits of a {@link DirtyMap} can't be marked durably: what commits is not noted there. */
public final class UnmarkableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient DirtyBits bits;

    UnmarkableException(DirtyBits bits, Throwable cause) {
        super(cause.getMessage(), cause);
        this.bits = bits;
    }

    public DirtyBits bits() {
        return bits;
    }
}
