package io.farheap.objects.type;

import io.farheap.objects.value.RecordImage.RecordClass;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A record of the pool as a map by component, with the name and version of its type under {@value
 * #TYPE}.
 */
public final class StoredRecords {
    /** No component has such a name. */
    public static final String TYPE = "@type";

    private static final MethodHandle MAKE;
    private static final MethodHandle COMPONENT;

    static {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            MAKE =
                    lookup.findStatic(
                            StoredRecords.class,
                            "make",
                            MethodType.methodType(
                                    Object.class, String.class, List.class, Object[].class));
            COMPONENT =
                    lookup.findStatic(
                            StoredRecords.class,
                            "component",
                            MethodType.methodType(Object.class, String.class, Object.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private StoredRecords() {}

    static RecordClass of(String name, List<String> components) {
        MethodHandle[] getters =
                components.stream()
                        .map(one -> MethodHandles.insertArguments(COMPONENT, 0, one))
                        .toArray(MethodHandle[]::new);
        return new RecordClass(
                Map.class,
                MethodHandles.insertArguments(MAKE, 0, name, components),
                getters,
                new Object[getters.length]);
    }

    static Object make(String name, List<String> components, Object[] values) {
        Map<String, Object> record = new LinkedHashMap<>();
        record.put(TYPE, name);
        for (int i = 0; i < values.length; i++) {
            record.put(components.get(i), values[i]);
        }
        return record;
    }

    static Object component(String name, Object record) {
        return ((Map<?, ?>) record).get(name);
    }
}
