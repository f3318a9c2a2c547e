package io.farheap.objects.collection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/** The collections that one test makes, deleted after it: nothing of them is left in the pool. */
final class MadeCollections {
    private final OpenHeap heap;
    private final List<Runnable> deletions = new ArrayList<>();

    MadeCollections(OpenHeap heap) {
        this.heap = heap;
    }

    <C> C make(CollectionType<C> type) {
        long header = heap.create(type);
        deletions.add(() -> heap.delete(type, header));
        return type.open(heap.heap, header);
    }

    void outside(Runnable test) {
        deleteAll(); // what the making of suites made
        test.run();
        deleteAll();
    }

    void within(Runnable test) {
        deleteAll();
        heap.heap.transaction(
                tx -> {
                    deletions.clear();
                    test.run();
                    return null;
                });
        deleteAll();
    }

    private void deleteAll() {
        deletions.forEach(Runnable::run);
        deletions.clear();
        assertThat(heap.objects()).as("objects left in the pool").isZero();
    }
}
