package io.farheap.objects.collection;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/** Removes what an iterator returns, as {@code java.util}'s collections do. */
final class Removal {
    private Removal() {}

    /** Removes each element that a condition holds for; returns whether there was one. */
    static <E> boolean when(Iterator<E> elements, Predicate<? super E> condition) {
        Objects.requireNonNull(condition);
        boolean isChanged = false;
        while (elements.hasNext()) {
            if (condition.test(elements.next())) {
                elements.remove();
                isChanged = true;
            }
        }
        return isChanged;
    }

    /** Removes each element that is not in a collection. */
    static boolean unless(Iterator<?> elements, Collection<?> kept) {
        Objects.requireNonNull(kept);
        return when(elements, element -> !kept.contains(element));
    }

    /**
     * What a collection has now. A view of a list, of Java's library or of ours, shifts while
     * elements leave the list.
     */
    static Collection<?> still(Collection<?> elements) {
        boolean isView =
                elements instanceof ListRange
                        || elements instanceof List && elements.getClass().getClassLoader() == null;
        return isView ? new ArrayList<>(elements) : elements;
    }

    /** Removes the first element that is equal to one. */
    static boolean first(Iterator<?> elements, Object removed) {
        while (elements.hasNext()) {
            if (Objects.equals(removed, elements.next())) {
                elements.remove();
                return true;
            }
        }
        return false;
    }
}
