package io.farheap.benchmarks;

/** One of the maps of 8 B keys and 64 B values that are measured beside each other. */
interface KeyedSide extends AutoCloseable {
    void put(long key, byte[] value);

    /** Whether the value was there and its first byte is what is said. */
    boolean hasValue(long key, byte first);

    /** Whether the key was there. */
    boolean remove(long key);

    /** Reads all entries in the order of keys; how many there are. */
    default long scan() {
        throw new UnsupportedOperationException("no order");
    }

    @Override
    void close();
}
