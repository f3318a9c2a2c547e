package io.farheap.objects.collection;

import java.util.Deque;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** What threads may do to the two ends of one deque. */
@Param(name = "value", gen = IntGen.class, conf = "1:9")
public abstract class DequeOperations {
    final Deque<Long> deque;

    DequeOperations(Deque<Long> deque) {
        this.deque = deque;
    }

    @Operation
    public boolean offerFirst(@Param(name = "value") int value) {
        return deque.offerFirst((long) value);
    }

    @Operation
    public boolean offerLast(@Param(name = "value") int value) {
        return deque.offerLast((long) value);
    }

    @Operation
    public Long pollFirst() {
        return deque.pollFirst();
    }

    @Operation
    public Long pollLast() {
        return deque.pollLast();
    }

    @Operation
    public Long peekFirst() {
        return deque.peekFirst();
    }

    @Operation
    public Long peekLast() {
        return deque.peekLast();
    }

    @Operation
    public boolean removeFirstOccurrence(@Param(name = "value") int value) {
        return deque.removeFirstOccurrence((long) value);
    }

    @Operation
    public int size() {
        return deque.size();
    }
}
