package io.farheap.availability.coordinator;

import io.farheap.availability.coordinator.StoreFaults.Fate;
import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** One client of a store in memory. */
final class MemoryCoordinator implements Coordinator {
    private final MemoryStore store;
    private final StoreFaults faults;
    private final Duration interval;
    private final List<Hints> watches = new CopyOnWriteArrayList<>();

    MemoryCoordinator(MemoryStore store, StoreFaults faults, Duration interval) {
        this.store = store;
        this.faults = faults;
        this.interval = interval;
    }

    @Override
    public Versioned read(String key) {
        requireAnswer(key);
        return store.read(key);
    }

    @Override
    public List<Listed> list(String prefix) {
        requireAnswer(prefix);
        return store.list(prefix);
    }

    @Override
    public Swap compareAndSet(String key, long version, byte[] value) {
        return swap(key, version, value, null);
    }

    @Override
    public Swap compareAndSet(
            String key, long version, byte[] value, String beside, long besideVersion) {
        requireKey(key);
        requireKey(beside);
        byte[] sent = value.clone();
        return swap(() -> store.swap(key, version, sent, beside, besideVersion));
    }

    private Swap swap(String key, long version, byte[] value, MemoryCoordinator owner) {
        requireKey(key);
        byte[] sent = value.clone();
        return swap(() -> store.swap(key, version, sent, owner));
    }

    private Swap swap(Supplier<Swap> request) {
        Fate fate = faults.next();
        switch (fate) {
            case CUT -> {
                return Swap.unknown();
            }
            case LATE -> {
                store.later(
                        () -> {
                            Swap unused = request.get();
                        });
                return Swap.unknown();
            }
            default -> {
                Swap swap = request.get();
                return fate == Fate.ANSWERED ? swap : Swap.unknown();
            }
        }
    }

    @Override
    public Optional<Presence> announce(String key, byte[] value, Duration ttl) {
        Swap swap = swap(key, 0, value, this);
        return switch (swap.outcome()) {
            case APPLIED -> Optional.of(new Announced(key, swap.version()));
            case LOST -> Optional.empty();
            case UNKNOWN -> throw unavailable();
        };
    }

    @Override
    public Optional<byte[]> present(String key) {
        requireAnswer(key);
        return store.present(key);
    }

    @Override
    public void remove(String key, byte[] value) {
        requireAnswer(key);
        store.remove(key, value);
    }

    @Override
    public Watch watch(String prefix, Runnable changed) {
        if (prefix.isEmpty()) {
            throw FarheapException.wrongUse("Nobody watches the whole store: name a prefix.");
        }
        Hints hints = new Hints(interval, changed);
        watches.add(hints);
        return () -> {
            watches.remove(hints);
            hints.close();
        };
    }

    void hint() {
        watches.forEach(Hints::hint);
    }

    private void requireAnswer(String key) {
        requireKey(key);
        if (faults.next() != Fate.ANSWERED) {
            throw unavailable();
        }
    }

    private static void requireKey(String key) {
        if (key.isEmpty()) {
            throw FarheapException.wrongUse("A key of the store must not be empty.");
        }
    }

    private static StoreUnavailableException unavailable() {
        return new StoreUnavailableException("The store in memory does not answer this client.");
    }

    @Override
    public void close() {
        watches.forEach(Hints::close);
        watches.clear();
        store.disconnect(this);
    }

    /** There for as long as the store has it with this version. */
    private final class Announced implements Presence {
        private final String key;
        private volatile long version;

        Announced(String key, long version) {
            this.key = key;
            this.version = version;
        }

        @Override
        public boolean isLost() {
            return !store.isOwned(key, version);
        }

        @Override
        public boolean replace(byte[] value) {
            Swap swap = swap(key, version, value, MemoryCoordinator.this);
            if (swap.outcome() == Swap.Outcome.UNKNOWN) {
                throw unavailable();
            }
            version = swap.outcome() == Swap.Outcome.APPLIED ? swap.version() : version;
            return swap.outcome() == Swap.Outcome.APPLIED;
        }

        @Override
        public void close() {
            store.remove(key, version);
        }
    }
}
