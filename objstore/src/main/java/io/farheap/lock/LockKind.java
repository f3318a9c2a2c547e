package io.farheap.lock;

/** What a place in the pool is used as; one place is one kind at a time. */
public enum LockKind {
    /** libpmemobj's PMEMmutex. */
    MUTEX("a mutex"),
    /** libpmemobj's PMEMrwlock. */
    READ_WRITE("a read-write lock"),
    /** libpmemobj's PMEMcond. */
    CONDITION("a condition");

    private final String text;

    LockKind(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
