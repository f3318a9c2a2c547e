package io.farheap.objects.type;

import io.farheap.objects.value.RecordImage.RecordClass;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.RecordComponent;

/** Finds how a record is taken apart and made. */
final class RecordClasses {
    private RecordClasses() {}

    /** Null after a mistake. */
    static RecordClass of(Class<?> type, Mistakes mistakes) {
        MethodHandles.Lookup lookup = TypeMatching.checkOpen(type, mistakes);
        if (lookup == null) {
            return null;
        }
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        MethodHandle[] getters = new MethodHandle[components.length];
        Object[] missing = new Object[components.length];
        try {
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                getters[i] =
                        lookup.unreflect(components[i].getAccessor())
                                .asType(MethodType.methodType(Object.class, Object.class));
                missing[i] =
                        types[i].isPrimitive()
                                ? Array.get(Array.newInstance(types[i], 1), 0)
                                : null;
            }
            MethodHandle constructor =
                    lookup.findConstructor(type, MethodType.methodType(void.class, types))
                            .asSpreader(Object[].class, types.length)
                            .asType(MethodType.methodType(Object.class, Object[].class));
            return new RecordClass(type, constructor, getters, missing);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a record has its accessors and its constructor", e);
        }
    }
}
