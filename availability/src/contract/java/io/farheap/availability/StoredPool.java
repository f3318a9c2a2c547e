package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.Swap;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** What a pool has in its store, for tests that judge it or put it there as a node would. */
public final class StoredPool {
    private final Coordinator store;
    private final PoolKeys keys;

    /** Of a cluster. */
    public StoredPool(Coordinator store, String cluster, String pool) {
        this.store = store;
        this.keys = new PoolKeys(cluster, pool);
    }

    /** What the record says. */
    public record Recorded(long term, String writer, SortedSet<String> set, long number) {}

    /** What the writer has announced; by its poolset file these nodes have copies. */
    public record Announced(String node, long term, SortedSet<String> nodes) {}

    /** Reads a record. */
    public static Recorded recorded(byte[] value) {
        ClusterRecord record = ClusterRecordCodec.decode("record", value);
        return new Recorded(record.term(), record.writer(), record.set(), record.number());
    }

    /** Of the records that are made here. */
    public static final long RECORD_ID = 1;

    /** A record whose plan is the first one. */
    public static byte[] record(long term, String writer, Set<String> set, long number) {
        return ClusterRecordCodec.encode(
                new ClusterRecord(term, writer, new TreeSet<>(set), number, 0, "0".repeat(32))
                        .identified(RECORD_ID));
    }

    /** What the record in the store says. */
    public Recorded recorded() {
        return recorded(store.read(keys.record()).value().orElseThrow());
    }

    /** Puts these bytes in the place of its record, whether there is one or not. */
    public void putRecord(byte[] value) {
        put(keys.record(), value);
    }

    /** Puts orders of its operator in the place of those before. */
    public void putOrders(String json) {
        put(keys.order(), json.getBytes(StandardCharsets.UTF_8));
    }

    private void put(String key, byte[] value) {
        Swap swap = store.compareAndSet(key, store.read(key).version(), value);
        if (swap.outcome() != Swap.Outcome.APPLIED) {
            throw new AssertionError("the store does not take " + key + ": " + swap);
        }
    }

    /** Who writes, if anybody has announced so. */
    public Optional<Announced> lead() {
        return store.present(keys.lead())
                .map(value -> Lead.decode(keys.lead(), value))
                .map(lead -> new Announced(lead.node(), lead.term(), lead.turn().nodes()));
    }

    /** Announces a writer that says nothing of its turn. */
    public Presence announce(String writer, long term, Duration ttl) {
        return announce(Lead.of(writer).with(term, ""), ttl);
    }

    /** Announces a writer and what its turn is about. */
    public Presence announce(
            String writer, long term, long since, Set<String> nodes, int minCopies, Duration ttl) {
        Lead.Turn turn = new Lead.Turn(since, new TreeSet<>(nodes), minCopies);
        return announce(Lead.of(writer).with(term, "").with(turn), ttl);
    }

    /** Announces a program as the writer. */
    public Presence announceProgram(String writer, long term, long pid, Duration ttl) {
        return announce(new Lead(writer, term, "", pid), ttl);
    }

    /** Announces a program that waits for its turn. */
    public Presence await(String node, Duration ttl) {
        return store.announce(keys.waiting(node), Lead.of(node).encode(), ttl).orElseThrow();
    }

    private Presence announce(Lead lead, Duration ttl) {
        return store.announce(keys.lead(), lead.encode(), ttl).orElseThrow();
    }
}
