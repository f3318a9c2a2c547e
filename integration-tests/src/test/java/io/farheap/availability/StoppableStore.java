package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Listing;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.availability.coordinator.Watch;
import java.time.Duration;
import java.util.Optional;

/** A client of the store, on a machine that may stop before a request and before its answer. */
record StoppableStore(Coordinator store, CrashPoint point) implements Coordinator {
    @Override
    public Versioned read(String key) {
        point.before("a read of the store");
        Versioned read = store.read(key);
        point.before("what was read");
        return read;
    }

    @Override
    public Listing list(String prefix) {
        return store.list(prefix);
    }

    @Override
    public Swap compareAndSet(String key, long version, byte[] value) {
        point.before("a request to the store");
        Swap swap = store.compareAndSet(key, version, value);
        point.before("the store's answer");
        return swap;
    }

    @Override
    public Optional<Presence> announce(String key, byte[] value, Duration ttl) {
        return store.announce(key, value, ttl);
    }

    @Override
    public Optional<byte[]> present(String key) {
        return store.present(key);
    }

    @Override
    public void remove(String key, byte[] value) {
        store.remove(key, value);
    }

    @Override
    public Watch watch(String prefix, Runnable changed) {
        return store.watch(prefix, changed);
    }

    @Override
    public void close() {
        store.close();
    }
}
