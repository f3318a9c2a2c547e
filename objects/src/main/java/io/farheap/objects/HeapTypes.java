package io.farheap.objects;

import io.farheap.base.FarheapException;
import io.farheap.objects.type.ObjectType;
import io.farheap.objects.type.TypeDescriptor;
import io.farheap.objects.type.TypeMatching;
import io.farheap.objects.type.TypeSystem;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** What types a program has named for a heap, with those that the pool's table has besides. */
final class HeapTypes {
    private final Class<?> rootType;
    private final Set<Class<?>> types = new LinkedHashSet<>();

    HeapTypes(Class<?> rootType, Class<?>... others) {
        this.rootType = rootType;
        types.add(rootType);
        types.addAll(List.of(others));
        types.forEach(PersistentTypes::requirePersistent);
    }

    void add(Class<?> type) {
        types.add(type);
    }

    /**
     * Brings the pool's types and the program's together.
     *
     * @param space that objects of them will be of
     * @param stored the type table
     * @param append takes descriptors that are new
     */
    TypeSystem match(
            ObjectSpace space, List<TypeDescriptor> stored, Consumer<TypeDescriptor> append) {
        Set<Class<?>> all = new LinkedHashSet<>(types);
        stored.forEach(descriptor -> addClass(descriptor, all));
        return TypeMatching.match(all, space, stored, append);
    }

    /** Adds the class that a stored type had, if the program still has it for that. */
    private void addClass(TypeDescriptor descriptor, Set<Class<?>> into) {
        if (descriptor.kind() != TypeDescriptor.Kind.OBJECT) {
            return;
        }
        try {
            Class<?> type = Class.forName(descriptor.javaName(), false, rootType.getClassLoader());
            if (type.isInterface() && TypeMatching.isNamed(type, descriptor.name())) {
                into.add(type);
            }
        } catch (ClassNotFoundException | LinkageError e) {
            return; // a type that the program does not have any more
        }
    }

    /**
     * Refuses a root object that is of a type for something else.
     *
     * @param typeId what it says that it is
     */
    void requireRootType(TypeSystem system, long typeId) {
        TypeDescriptor stored = system.descriptor(typeId);
        if (stored == null || stored.kind() != TypeDescriptor.Kind.OBJECT) {
            return; // damaged, which the first look at it says
        }
        ObjectType type = system.object(stored.name());
        if (type == null || !rootType.isAssignableFrom(type.type())) {
            throw FarheapException.wrongUse(
                    "The root of this heap is a %s, and %s was given: open it with that interface;"
                            + " one with another name in the program has @Persistent(name ="
                            + " \"%s\").",
                    stored.name(), rootType.getName(), stored.name());
        }
    }
}
