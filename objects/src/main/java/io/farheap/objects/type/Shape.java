package io.farheap.objects.type;

import io.farheap.objects.value.FieldPlace;

/**
 * A stored version of an object type as the program's interface sees it.
 *
 * @param places by property; null for one that this version lacks
 * @param isExact by property: whether the place takes every value that the property may have
 */
public record Shape(
        ObjectType type, TypeDescriptor descriptor, FieldPlace[] places, boolean[] isExact) {
    public long id() {
        return descriptor.id();
    }
}
