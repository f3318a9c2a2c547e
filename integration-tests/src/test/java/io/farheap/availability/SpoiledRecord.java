package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.base.FarheapException;
import io.farheap.replication.epoch.SwitchRecorder;
import java.lang.reflect.Field;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** What broken rules make of requests for the record. */
public final class SpoiledRecord {
    private SpoiledRecord() {}

    /** Over whatever there is. */
    static Swap unconditional(Coordinator store, String key, long version, byte[] value) {
        return store.compareAndSet(key, store.read(key).version(), value);
    }

    static Swap unconditional(
            Coordinator store,
            String key,
            long version,
            byte[] value,
            String beside,
            long besideVersion) {
        return unconditional(store, key, version, value);
    }

    /** Who hears no answer takes it for a good one. */
    static Swap taken(Coordinator store, String key, long version, byte[] value) {
        return taken(store, key, store.compareAndSet(key, version, value));
    }

    static Swap taken(
            Coordinator store,
            String key,
            long version,
            byte[] value,
            String beside,
            long besideVersion) {
        return taken(store, key, store.compareAndSet(key, version, value, beside, besideVersion));
    }

    private static Swap taken(Coordinator store, String key, Swap swap) {
        if (swap.outcome() != Swap.Outcome.UNKNOWN) {
            return swap;
        }
        try {
            StoreStamp stamp = store.read(key).stamp();
            return Swap.applied(stamp.revision(), stamp);
        } catch (StoreUnavailableException e) {
            return swap;
        }
    }

    /** The others of the set are forgotten. */
    static ClusterRecord alone(ClusterRecord record, String node, String nonce) {
        return withSet(record, node, nonce, new TreeSet<>(Set.of(node)));
    }

    /** Whether it was of the set or not. */
    static ClusterRecord withMe(ClusterRecord record, String node, String nonce) {
        SortedSet<String> set = new TreeSet<>(record.set());
        set.add(node);
        return withSet(record, node, nonce, set);
    }

    private static ClusterRecord withSet(
            ClusterRecord record, String node, String nonce, SortedSet<String> set) {
        return new ClusterRecord(
                        record.term() + 1, node, set, record.number(), record.planVersion(), nonce)
                .identified(record.id());
    }

    /**
     * @throws FarheapException the store does not say that the term is this writer's
     */
    public static void requireStillWriter(SwitchRecorder recorder) {
        try {
            Field field = RecordedSwitches.class.getDeclaredField("record");
            field.setAccessible(true);
            PoolRecord record = (PoolRecord) field.get(recorder);
            if (record.look().orElseThrow().term() != recorder.term()) {
                throw FarheapException.replica("the term is over");
            }
        } catch (StoreUnavailableException e) {
            throw FarheapException.replica(e, "the store does not say whose the term is");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
