package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;

/** A client of the store, before and after whose requests others go on. */
record Meanwhile(Coordinator store, Runnable others) implements ForwardingCoordinator {
    @Override
    public Versioned read(String key) {
        others.run();
        Versioned read = store.read(key);
        others.run();
        return read;
    }

    @Override
    public Swap compareAndSet(String key, long version, byte[] value) {
        others.run();
        Swap swap = store.compareAndSet(key, version, value);
        others.run();
        return swap;
    }
}
