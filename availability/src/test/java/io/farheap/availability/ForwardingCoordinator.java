package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Listed;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A client of the store that changes what becomes of reads and of compare-and-set only. */
interface ForwardingCoordinator extends Coordinator {
    /** Who is asked in the end. */
    Coordinator store();

    @Override
    default List<Listed> list(String prefix) {
        return store().list(prefix);
    }

    @Override
    default Optional<Presence> announce(String key, byte[] value, Duration ttl) {
        return store().announce(key, value, ttl);
    }

    @Override
    default Optional<byte[]> present(String key) {
        return store().present(key);
    }

    @Override
    default void remove(String key, byte[] value) {
        store().remove(key, value);
    }

    @Override
    default Watch watch(String prefix, Runnable changed) {
        return store().watch(prefix, changed);
    }

    @Override
    default void close() {
        store().close();
    }
}
