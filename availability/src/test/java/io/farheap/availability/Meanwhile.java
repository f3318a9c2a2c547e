package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.availability.coordinator.Watch;
import java.time.Duration;
import java.util.Optional;

/** A client of the store, before and after whose requests others go on. */
record Meanwhile(Coordinator store, Runnable others) implements Coordinator {
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

    @Override
    public Optional<Presence> announce(String key, byte[] value, Duration ttl) {
        return store.announce(key, value, ttl);
    }

    @Override
    public Optional<byte[]> present(String key) {
        return store.present(key);
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
