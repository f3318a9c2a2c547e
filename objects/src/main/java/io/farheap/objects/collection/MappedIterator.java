package io.farheap.objects.collection;

import java.util.Iterator;
import java.util.function.Function;

/** What a function makes of each element that another iterator returns. */
record MappedIterator<E, P>(Iterator<E> elements, Function<E, P> part) implements Iterator<P> {
    @Override
    public boolean hasNext() {
        return elements.hasNext();
    }

    @Override
    public P next() {
        return part.apply(elements.next());
    }

    @Override
    public void remove() {
        elements.remove();
    }
}
