package io.farheap.objects.transaction;

import java.util.List;
import java.util.function.Consumer;

/** A heap whose transactions are recorded, by the ways in which it runs one. */
interface RecordedHeap {
    /** Each runs a body that sees one instant. */
    List<Consumer<Runnable>> reads();

    /** Each runs a body as if alone; maybe more than once. */
    List<Consumer<Runnable>> changes();

    /** Below the typed objects. */
    static RecordedHeap of(HeapTransactions heap) {
        return new RecordedHeap() {
            @Override
            public List<Consumer<Runnable>> reads() {
                return List.of(
                        body -> heap.read(tx -> ran(body)), body -> heap.glance(tx -> ran(body)));
            }

            @Override
            public List<Consumer<Runnable>> changes() {
                return List.of(body -> heap.transaction(tx -> ran(body)));
            }
        };
    }

    private static Void ran(Runnable body) {
        body.run();
        return null;
    }
}
