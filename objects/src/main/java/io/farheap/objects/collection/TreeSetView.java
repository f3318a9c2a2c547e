package io.farheap.objects.collection;

import io.farheap.objects.schema.PersistentSortedSet;
import java.util.NavigableMap;
import java.util.NavigableSet;

/** A sorted map whose values have no bytes, as a set; so are its parts. */
final class TreeSetView<E> extends TreeKeysView<E, Boolean> implements PersistentSortedSet<E> {
    TreeSetView(TreeMapView<E, Boolean> map) {
        super(map);
    }

    @Override
    public boolean add(E element) {
        return map.putIfAbsent(element, Boolean.TRUE) == null;
    }

    @Override
    NavigableSet<E> of(NavigableMap<E, Boolean> view) {
        return new TreeSetView<>((TreeMapView<E, Boolean>) view);
    }
}
