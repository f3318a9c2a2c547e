package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.testing.PowerLoss;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Loses power while a collection changes: it has what it had before or after it then, and owns all
 * that is allocated.
 *
 * @param combinations as {@link PowerLoss#effort} has them, samples too
 * @param stride of the states that a power loss leaves one in so many is read
 * @param seed of the samples
 */
record CollectionLoss(int combinations, int samples, int stride, long seed) {
    <C, S> void during(
            CollectionType<C> type, Consumer<C> before, Consumer<C> change, Function<C, S> content)
            throws Exception {
        List<S> wanted = new ArrayList<>();
        try (OpenHeap heap = OpenHeap.create(16 << 20)) {
            C collection = type.open(heap.heap, heap.create(type));
            before.accept(collection);
            wanted.add(content.apply(collection));
            change.accept(collection);
            wanted.add(content.apply(collection));
        }
        assertThat(wanted.get(0)).isNotEqualTo(wanted.get(1));
        long[] header = new long[1];
        int[] recovered = new int[1];
        PowerLoss.Tried tried =
                PowerLoss.during(pool -> change.accept(open(pool, type, header[0])))
                        .startingWith(
                                pool -> {
                                    header[0] =
                                            new HeapTransactions(pool).transaction(type::create);
                                    before.accept(open(pool, type, header[0]));
                                })
                        .effort(combinations, samples)
                        .seed(seed)
                        .onceReturned(
                                pool -> {
                                    HeapTransactions heap = new HeapTransactions(pool);
                                    assertThat(content.apply(type.open(heap, header[0])))
                                            .isEqualTo(wanted.get(1));
                                    OpenHeap.assertOwnsAll(pool, heap, type, header[0]);
                                })
                        .check(
                                pool -> {
                                    if (recovered[0]++ % stride != 0) {
                                        return;
                                    }
                                    HeapTransactions heap = new HeapTransactions(pool);
                                    assertThat(content.apply(type.open(heap, header[0])))
                                            .isIn(wanted);
                                    OpenHeap.assertOwnsAll(pool, heap, type, header[0]);
                                });
        assertThat(tried.states()).isGreaterThan(2); // of a counter that changes one word, 5
    }

    private static <C> C open(ObjectPool pool, CollectionType<C> type, long header) {
        return type.open(new HeapTransactions(pool), header);
    }
}
