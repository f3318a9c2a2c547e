package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;

/** A client of the store, on a machine that may stop before a request and before its answer. */
record StoppableStore(Coordinator store, CrashPoint point) implements ForwardingCoordinator {
    @Override
    public Versioned read(String key) {
        point.before("a read of the store");
        Versioned read = store.read(key);
        point.before("what was read");
        return read;
    }

    @Override
    public Swap compareAndSet(String key, long version, byte[] value) {
        point.before("a request to the store");
        Swap swap = store.compareAndSet(key, version, value);
        point.before("the store's answer");
        return swap;
    }
}
