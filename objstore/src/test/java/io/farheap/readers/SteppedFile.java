package io.farheap.readers;

import io.farheap.layout.PoolUuid;

/** Each word that is loaded or stored is a step, but for slots that nobody has in the test. */
final class SteppedFile extends ReadersFile {
    private static final long BEHIND = ReadersLayout.holder(1);

    SteppedFile() {
        super(PoolUuid.random());
    }

    @Override
    long get(long at) {
        step(at);
        return super.get(at);
    }

    @Override
    void set(long at, long value) {
        step(at);
        super.set(at, value);
    }

    @Override
    boolean swap(long at, long from, long to) {
        step(at);
        return super.swap(at, from, to);
    }

    private static void step(long at) {
        if (at < BEHIND) {
            Interleavings.step();
        }
    }
}
