package io.farheap.objects;

import io.farheap.objects.type.CollectionField;
import io.farheap.objects.type.ObjectType;
import io.farheap.objects.type.Property;

/** A field of an object type: what an accessor's method is about. */
record ObjectField(ObjectType type, int index) {
    Property property() {
        return type.properties().get(index);
    }

    boolean isCollection() {
        return type.current().places()[index].type() instanceof CollectionField;
    }
}
