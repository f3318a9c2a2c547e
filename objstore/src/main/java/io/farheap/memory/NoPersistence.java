package io.farheap.memory;

/** A private copy of a pool: nothing reaches the files, so nothing is to be made durable. */
public final class NoPersistence implements Persistence {

    @Override
    public void flush(long offset, long length) {}

    @Override
    public void fence() {}
}
