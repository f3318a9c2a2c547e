package io.farheap.objects.collection;

import static io.farheap.objects.value.LongType.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.objects.PersistentHeap;
import io.farheap.objects.schema.Persistent;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.transaction.HeapTransactions;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

class LongEntriesTest {
    @Persistent
    interface Root {}

    private static final CollectionType<PersistentMap<Long, Long>> MAPS =
            CollectionType.map(LONG, LONG);
    private static final CollectionType<PersistentSortedMap<Long, Long>> SORTED_MAPS =
            CollectionType.sortedMap(LONG, LONG, null);

    @Test
    void aThreadKeepsNothingOfWhatItAskedOnceTheHeapIsClosed() {
        WeakReference<HeapTransactions> heap = askedAndClosed();
        await().until(
                        () -> {
                            System.gc();
                            return heap.get() == null;
                        });
    }

    /** In a frame of its own, which refers to nothing afterwards. */
    private static WeakReference<HeapTransactions> askedAndClosed() {
        try (PersistentHeap<Root> heap = PersistentHeap.inMemory(Root.class)) {
            HeapTransactions transactions = new HeapTransactions(heap.pool());
            PersistentMap<Long, Long> map =
                    MAPS.open(transactions, transactions.transaction(MAPS::create));
            PersistentSortedMap<Long, Long> sorted =
                    SORTED_MAPS.open(transactions, transactions.transaction(SORTED_MAPS::create));
            assertThat(map.putLong(1, 2)).isTrue();
            assertThat(sorted.putLong(1, 3)).isTrue();
            assertThat(map.getLong(1, 0) + sorted.getLong(1, 0)).isEqualTo(5);
            assertThat(map.getLong(2, -1)).isEqualTo(-1);
            transactions.close();
            return new WeakReference<>(transactions);
        }
    }
}
