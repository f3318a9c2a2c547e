package io.farheap.benchmarks;

/** Somebody who makes 64 bytes durable on a disk, again and again, by several threads. */
interface DiskSide extends AutoCloseable {
    String name();

    /**
     * What a thread runs for each commit; durable when it returns.
     *
     * @param thread from 0 on: each has an object of its own
     */
    Runnable committer(int thread);

    /** How often it synced, by its own counter; negative: it has none. */
    default long syncs() {
        return -1;
    }

    @Override
    void close();
}
