package io.farheap.memory;

/** Who is told of each store to a {@link PoolMemory}, after it: a {@link CrashSimulation}. */
@FunctionalInterface
interface StoreObserver {
    /** {@code length} bytes at image offset {@code offset} were stored just now. */
    void stored(long offset, long length);
}
