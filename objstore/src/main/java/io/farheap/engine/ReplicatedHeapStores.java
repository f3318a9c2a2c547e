package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.heap.HeapGrowth;
import io.farheap.heap.HeapStores;
import io.farheap.heap.StoreList;
import io.farheap.memory.PoolMemory;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import java.util.function.Supplier;

/**
 * Makes the heap's stores that no log covers: remote before local, as commits are, for no tail
 * would have them after a crash here (docs/protocol.md#remote-first). Until replicas are attached,
 * and in pools without any, they go straight into the pool. Stores that fail here leave the pool to
 * recovery.
 */
final class ReplicatedHeapStores implements HeapStores {
    private final PoolMemory memory;
    private final Supplier<SentRecord> records;
    private volatile ReplicaSink sink;

    /**
     * @param records makes what is sent: several threads store at the same time
     */
    ReplicatedHeapStores(PoolMemory memory, Supplier<SentRecord> records) {
        this.memory = memory;
        this.records = records;
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
        SentRecord sent = records.get();
        if (replicas != null) {
            sendFirst(replicas, stores, sent);
        }
        try {
            stores.applyTo(memory);
            if (replicas != null) {
                memory.settle(); // a replica that is told so applies it
            }
            sent.committed();
        } catch (Throwable failure) {
            throw sent.broken(failure);
        }
    }

    private static void sendFirst(ReplicaSink replicas, StoreList stores, SentRecord sent) {
        long bytes = (long) stores.size() * RecordEntries.WORD_ENTRY_BYTES;
        if (bytes > replicas.maxEntryBytes()) {
            throw FarheapException.wrongUse(
                    "Setting up a block of the heap takes a record of %s bytes and the"
                            + " commit journal takes %s; raise journal-size on the target.",
                    bytes, replicas.maxEntryBytes());
        }
        sent.append(replicas, bytes, source(stores));
        sent.awaitDurableOrRollBack();
    }

    private static RecordSource source(StoreList stores) {
        return (RecordEntries entries) -> {
            for (int i = 0; i < stores.size(); i++) {
                entries.set(stores.offset(i), stores.value(i));
            }
        };
    }
}
