package io.farheap.availability.coordinator;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A store in the memory of one process, whose clients may be cut off, wait in vain or lose what
 * they announced, and which can be restored from a backup. Thread-safe.
 */
public final class MemoryStore {
    private final Duration interval;
    private final Deque<Runnable> late = new ArrayDeque<>();
    private final List<MemoryCoordinator> clients = new ArrayList<>();
    private TreeMap<String, Entry> entries = new TreeMap<>();
    private long revision = 1;
    private long restorations;

    /**
     * Empty.
     *
     * @param interval after which watches call though nothing has changed
     */
    public MemoryStore(Duration interval) {
        this.interval = interval;
    }

    /**
     * What is kept of a key.
     *
     * @param owner who announced it; null: it is a value
     */
    private record Entry(byte[] value, long version, MemoryCoordinator owner) {}

    /** What a store had at a time. */
    public static final class Backup {
        private final TreeMap<String, Entry> entries;
        private final long revision;

        private Backup(TreeMap<String, Entry> entries, long revision) {
            this.entries = entries;
            this.revision = revision;
        }
    }

    /** A client, whose requests fare as told. */
    public synchronized Coordinator connect(StoreFaults faults) {
        MemoryCoordinator client = new MemoryCoordinator(this, faults, interval);
        clients.add(client);
        return client;
    }

    /** The values as they are. */
    public synchronized Backup backup() {
        TreeMap<String, Entry> values = new TreeMap<>(entries);
        values.values().removeIf(entry -> entry.owner() != null);
        return new Backup(values, revision);
    }

    /**
     * Everything since then is gone.
     *
     * @param asNewStore as tools for backups do it: the store's identity is another one; else the
     *     revision alone tells, as when files are copied back
     */
    public synchronized void restore(Backup backup, boolean asNewStore) {
        entries = new TreeMap<>(backup.entries);
        revision = backup.revision;
        restorations += asNewStore ? 1 : 0;
        hint();
    }

    /** Carries out the oldest request that is late; false: there is none. */
    public synchronized boolean deliverLate() {
        Runnable request = late.poll();
        if (request != null) {
            request.run();
        }
        return request != null;
    }

    /** Requests that are late never arrive. */
    public synchronized void dropLate() {
        late.clear();
    }

    /** What a client has announced ends, though it is alive. */
    public synchronized void endLeases(Coordinator client) {
        if (entries.values().removeIf(entry -> entry.owner() == client)) {
            revision++;
            hint();
        }
    }

    synchronized void later(Runnable request) {
        late.add(request);
    }

    synchronized Versioned read(String key) {
        Entry entry = entries.get(key);
        return entry == null
                ? new Versioned(Optional.empty(), 0, stamp())
                : new Versioned(Optional.of(entry.value().clone()), entry.version(), stamp());
    }

    synchronized List<Listed> list(String prefix) {
        return entries.tailMap(prefix).entrySet().stream()
                .takeWhile(entry -> entry.getKey().startsWith(prefix))
                .map(entry -> listed(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static Listed listed(String key, Entry entry) {
        return new Listed(key, entry.value().clone(), entry.owner() != null);
    }

    /** Sets a value, of nobody or of who announces it. */
    synchronized Swap swap(String key, long version, byte[] value, MemoryCoordinator owner) {
        if (versionOf(key) != version) {
            return Swap.lost();
        }
        entries.put(key, new Entry(value.clone(), ++revision, owner));
        hint();
        return Swap.applied(revision, stamp());
    }

    synchronized Swap swap(
            String key, long version, byte[] value, String beside, long besideVersion) {
        return versionOf(beside) == besideVersion ? swap(key, version, value, null) : Swap.lost();
    }

    private long versionOf(String key) {
        Entry entry = entries.get(key);
        return entry == null ? 0 : entry.version();
    }

    synchronized boolean isOwned(String key, long version) {
        Entry entry = entries.get(key);
        return entry != null && entry.version() == version;
    }

    synchronized void remove(String key, long version) {
        if (isOwned(key, version)) {
            entries.remove(key);
            revision++;
            hint();
        }
    }

    synchronized void remove(String key, byte[] value) {
        Entry entry = entries.get(key);
        if (entry != null && entry.owner() != null && Arrays.equals(entry.value(), value)) {
            remove(key, entry.version());
        }
    }

    synchronized Optional<byte[]> present(String key) {
        return Optional.ofNullable(entries.get(key))
                .filter(entry -> entry.owner() != null)
                .map(entry -> entry.value().clone());
    }

    synchronized void disconnect(MemoryCoordinator client) {
        clients.remove(client);
        endLeases(client);
    }

    /** Prefixes are not compared: a call too many is allowed. */
    private void hint() {
        clients.forEach(MemoryCoordinator::hint);
    }

    private StoreStamp stamp() {
        return new StoreStamp("memory-" + restorations, revision);
    }

    @Override
    public synchronized String toString() {
        StringBuilder shown = new StringBuilder("revision " + revision);
        for (Map.Entry<String, Entry> entry : entries.entrySet()) {
            shown.append(' ').append(entry.getKey()).append('@').append(entry.getValue().version());
        }
        return shown.toString();
    }
}
