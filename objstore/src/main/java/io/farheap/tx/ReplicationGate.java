package io.farheap.tx;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.heap.HeapGrowth;
import io.farheap.heap.HeapStores;
import io.farheap.heap.StoreList;
import io.farheap.memory.PoolMemory;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import java.util.function.Function;

/**
 * Makes the heap's stores that no log covers: remote before local, as commits are. Until replicas
 * are attached, and in pools without any, they go straight into the pool. Stores that fail here
 * leave the pool to recovery.
 */
final class ReplicationGate implements HeapStores {
    private final PoolMemory memory;
    private final EngineCounters counters;

    /** Marks the pool broken and makes of the failure what is to be thrown. */
    private final Function<Throwable, FarheapException> broken;

    private volatile ReplicaSink sink;

    ReplicationGate(
            PoolMemory memory,
            EngineCounters counters,
            Function<Throwable, FarheapException> broken) {
        this.memory = memory;
        this.counters = counters;
        this.broken = broken;
    }

    /** From now on every store goes to the replicas first. */
    void attach(ReplicaSink newSink) {
        sink = newSink;
    }

    /** Where commits leave for the replicas; null when there are none. */
    ReplicaSink sink() {
        return sink;
    }

    /** How the pool grows: no further than the images of its replicas, where it has some. */
    HeapGrowth within(HeapGrowth local) {
        return new HeapGrowth() {
            @Override
            public long mostBytes() {
                ReplicaSink replicas = sink;
                return replicas == null
                        ? local.mostBytes()
                        : Math.min(local.mostBytes(), replicas.imageBytes());
            }

            @Override
            public void grow(long bytes) {
                local.grow(bytes);
            }
        };
    }

    @Override
    public void submit(StoreList stores) {
        ReplicaSink replicas = sink;
        if (replicas == null) {
            storeHere(stores);
            return;
        }
        long bytes = (long) stores.size() * RecordEntries.WORD_ENTRY_BYTES;
        if (bytes > replicas.maxEntryBytes()) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    "Setting up a block of the heap takes a record of "
                            + bytes
                            + " bytes and the commit journal takes "
                            + replicas.maxEntryBytes()
                            + "; raise journal-size on the target.");
        }
        RecordSource record = source(stores);
        long ticket = replicas.append(bytes, record);
        counters.records.increment();
        try {
            counters.durabilityWaits.increment();
            ticket = replicas.awaitDurable(ticket, bytes, record);
        } catch (Throwable unknown) {
            replicas.rolledBack(ticket);
            throw unknown;
        }
        storeHere(stores);
        replicas.committed(ticket, record);
    }

    private void storeHere(StoreList stores) {
        try {
            stores.applyTo(memory);
        } catch (Throwable failure) {
            throw broken.apply(failure);
        }
    }

    private static RecordSource source(StoreList stores) {
        return (RecordEntries entries) -> {
            for (int i = 0; i < stores.size(); i++) {
                entries.set(stores.offset(i), stores.value(i));
            }
        };
    }
}
