package io.farheap.objects.type;

import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The type table while a program's types are matched with it: stored ones and new ones. */
final class WorkingTable {
    private final List<TypeDescriptor> types;
    private final Consumer<TypeDescriptor> append;

    /**
     * @param append told each new descriptor, in order
     */
    WorkingTable(List<TypeDescriptor> stored, Consumer<TypeDescriptor> append) {
        this.types = new ArrayList<>(stored);
        this.append = append;
    }

    /** All; it grows. */
    List<TypeDescriptor> types() {
        return types;
    }

    /** The versions of a name, the oldest first. */
    List<TypeDescriptor> versions(String name) {
        return types.stream().filter(type -> type.name().equals(name)).toList();
    }

    /** Null for none. */
    TypeDescriptor version(String name, int version) {
        List<TypeDescriptor> versions = versions(name);
        return version < 1 || version > versions.size() ? null : versions.get(version - 1);
    }

    /** A description as the next one of its name. */
    TypeDescriptor next(
            Kind kind,
            Class<?> type,
            List<String> superTypes,
            int size,
            int alignment,
            List<Field> fields) {
        String name = ProgramTypes.nameOf(type);
        return new TypeDescriptor(
                TypeDescriptor.FIRST_ID + types.size(),
                kind,
                versions(name).size() + 1,
                name,
                type.getName(),
                superTypes,
                size,
                alignment,
                fields);
    }

    void add(TypeDescriptor type) {
        List<TypeDescriptor> before = versions(type.name());
        TypeTable.requireFollows(before.isEmpty() ? null : before.getLast(), type);
        append.accept(type);
        types.add(type);
    }
}
