package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Predicate;

/** {@link DequeChunks} as a deque of {@code java.util.concurrent}. */
final class ChunkedDeque<E> extends TwoEndedQueue<E> {
    private final HeapTransactions heap;
    private final DequeChunks<E> chunks;
    private final long header;
    private final Runnable wake;

    ChunkedDeque(HeapTransactions heap, DequeChunks<E> chunks, long header) {
        this.heap = heap;
        this.chunks = chunks;
        this.header = header;
        this.wake = () -> DequeWaiters.wake(heap, header);
    }

    // ---- ends ----

    @Override
    boolean add(boolean first, E element) {
        Objects.requireNonNull(element);
        return heap.change(
                tx -> {
                    chunks.add(tx, header, first, element);
                    tx.afterCommit(wake);
                    return true;
                });
    }

    @Override
    E poll(boolean first) {
        return heap.change(tx -> chunks.poll(tx, header, first));
    }

    @Override
    E peek(boolean first) {
        return heap.glance(tx -> chunks.peek(tx, header, first));
    }

    @Override
    E pollWithin(boolean first, long nanos) throws InterruptedException {
        if (heap.current() != null) {
            return poll(first);
        }
        E element = poll(first);
        return element != null || nanos <= 0
                ? element
                : DequeWaiters.await(heap, header, () -> poll(first), nanos);
    }

    // ---- all elements ----

    @Override
    public int size() {
        long size = heap.glance(tx -> DequeChunks.size(tx, header));
        return (int) Math.min(Integer.MAX_VALUE, size);
    }

    private List<E> elements() {
        return elements(false);
    }

    /** For whoever removes some. */
    private List<E> leaving() {
        return elements(true);
    }

    private List<E> elements(boolean areLeaving) {
        return heap.read(
                tx -> {
                    List<E> elements = new ArrayList<>();
                    TreePlace place = new TreePlace();
                    CircleWatch watch = DequeChunks.watch(header);
                    for (chunks.find(tx, header, 0, place);
                            !place.isNone();
                            chunks.next(tx, place)) {
                        if (place.index == 0) {
                            watch.pass(place.leaf);
                        }
                        elements.add(areLeaving ? chunks.taken(tx, place) : chunks.get(tx, place));
                    }
                    return elements;
                });
    }

    @Override
    public boolean contains(Object element) {
        return elements().contains(element);
    }

    @Override
    public Object[] toArray() {
        return elements().toArray();
    }

    @Override
    public <T> T[] toArray(T[] array) {
        return elements().toArray(array);
    }

    @Override
    public String toString() {
        return elements().toString();
    }

    /** Of a size that is not known: others may change it. */
    @Override
    public Spliterator<E> spliterator() {
        return Spliterators.spliteratorUnknownSize(
                iterator(), Spliterator.ORDERED | Spliterator.NONNULL);
    }

    @Override
    public Iterator<E> iterator() {
        return new Snapshot(elements(), false);
    }

    @Override
    public Iterator<E> descendingIterator() {
        return new Snapshot(elements().reversed(), true);
    }

    @Override
    public boolean remove(Object element) {
        return removeFirstOccurrence(element);
    }

    @Override
    public boolean removeFirstOccurrence(Object element) {
        return heap.change(tx -> removeAt(tx, leaving().indexOf(element)));
    }

    @Override
    public boolean removeLastOccurrence(Object element) {
        return heap.change(tx -> removeAt(tx, leaving().lastIndexOf(element)));
    }

    private boolean removeAt(HeapTransaction tx, int index) {
        if (index >= 0) {
            TreePlace place = new TreePlace();
            chunks.find(tx, header, index, place);
            chunks.remove(tx, header, place);
        }
        return index >= 0;
    }

    private boolean removeUnlessIn(HeapTransaction tx, Collection<?> kept) {
        Objects.requireNonNull(kept);
        return removeWhen(tx, element -> !kept.contains(element));
    }

    /** In one pass, unless the condition itself changes something, which may be this deque. */
    private boolean removeWhen(HeapTransaction tx, Predicate<? super E> condition) {
        Objects.requireNonNull(condition);
        Snapshot all = new Snapshot(leaving(), false);
        TreePlace place = new TreePlace();
        chunks.find(tx, header, 0, place);
        boolean isChanged = false;
        while (all.hasNext()) {
            long before = tx.changes();
            boolean leaves = condition.test(all.next());
            if (tx.changes() != before) {
                if (leaves) {
                    all.remove();
                }
                return Removal.when(all, condition) || leaves || isChanged;
            }
            if (leaves) {
                chunks.removeAndGoOn(tx, header, place);
                all.removed++;
                isChanged = true;
            } else {
                chunks.next(tx, place);
            }
        }
        return isChanged;
    }

    @Override
    public boolean removeAll(Collection<?> elements) {
        return heap.change(tx -> removeWhen(tx, elements::contains));
    }

    @Override
    public boolean retainAll(Collection<?> elements) {
        return heap.change(tx -> removeUnlessIn(tx, elements));
    }

    @Override
    public boolean removeIf(Predicate<? super E> condition) {
        return heap.change(tx -> removeWhen(tx, condition));
    }

    @Override
    public boolean addAll(Collection<? extends E> elements) {
        if (elements == this) {
            throw new IllegalArgumentException("a deque can't be added to itself");
        }
        // With no null in it, before anything is changed.
        return heap.change(tx -> super.addAll(List.copyOf(elements)));
    }

    @Override
    public void clear() {
        heap.change(
                tx -> {
                    chunks.clear(tx, header);
                    return null;
                });
    }

    @Override
    public int drainTo(Collection<? super E> target) {
        return drainTo(target, Integer.MAX_VALUE);
    }

    @Override
    public int drainTo(Collection<? super E> target, int most) {
        if (target == this) {
            throw new IllegalArgumentException("a deque can't be drained into itself");
        }
        List<E> drained =
                heap.change(
                        tx -> {
                            List<E> elements = new ArrayList<>();
                            E element = most > 0 ? chunks.poll(tx, header, true) : null;
                            while (element != null) {
                                elements.add(element);
                                element =
                                        elements.size() < most
                                                ? chunks.poll(tx, header, true)
                                                : null;
                            }
                            return elements;
                        });
        boolean unused = target.addAll(drained);
        return drained.size();
    }

    /** What was there at one instant. */
    private final class Snapshot implements Iterator<E> {
        private final List<E> found;
        private final boolean isDescending;
        private int next;
        private int removed;
        private boolean isRemovable;

        Snapshot(List<E> found, boolean isDescending) {
            this.found = found;
            this.isDescending = isDescending;
        }

        @Override
        public boolean hasNext() {
            return next < found.size();
        }

        @Override
        public E next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            isRemovable = true;
            return found.get(next++);
        }

        /** Where it was if it is still there, else the first one that is equal. */
        @Override
        public void remove() {
            if (!isRemovable) {
                throw new IllegalStateException();
            }
            isRemovable = false;
            E element = found.get(next - 1);
            int index = isDescending ? found.size() - next : next - 1 - removed;
            boolean unused =
                    heap.transaction(
                            tx -> {
                                List<E> now = leaving();
                                boolean isThere =
                                        index < now.size()
                                                && Objects.equals(now.get(index), element);
                                return removeAt(tx, isThere ? index : now.indexOf(element));
                            });
            removed++;
        }
    }
}
