package io.farheap.objects.type;

import io.farheap.objects.schema.Named;
import io.farheap.objects.schema.Persistent;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The types of a program that some of them lead to, as reflection has them. */
final class ProgramTypes {
    private final Mistakes mistakes;
    private final Map<Class<?>, List<Property>> objects = new LinkedHashMap<>();
    private final Map<Class<?>, List<Property>> records = new LinkedHashMap<>();
    private final Set<Class<?>> enums = new LinkedHashSet<>();
    private final Map<Class<?>, List<Class<?>>> sealed = new LinkedHashMap<>();

    ProgramTypes(Collection<Class<?>> types, Mistakes mistakes) {
        this.mistakes = mistakes;
        types.forEach(this::follow);
    }

    /** The name in the pool. */
    static String nameOf(Class<?> type) {
        Persistent persistent = type.getAnnotation(Persistent.class);
        return persistent == null || persistent.name().isEmpty()
                ? type.getName()
                : persistent.name();
    }

    static boolean isObject(Class<?> type) {
        return type.isInterface()
                && type.isAnnotationPresent(Persistent.class)
                && !isSealedOfRecords(type); // a value, that may be marked for its name
    }

    /** Whether it is an interface all of whose implementations are records that it permits. */
    static boolean isSealedOfRecords(Class<?> type) {
        return type.isInterface()
                && type.isSealed()
                && Arrays.stream(type.getPermittedSubclasses())
                        .allMatch(one -> one.isRecord() || isSealedOfRecords(one));
    }

    Set<Class<?>> all() {
        Set<Class<?>> all = new LinkedHashSet<>(objects.keySet());
        all.addAll(records.keySet());
        all.addAll(enums);
        all.addAll(sealed.keySet());
        return all;
    }

    Map<Class<?>, List<Property>> objects() {
        return objects;
    }

    Map<Class<?>, List<Property>> records() {
        return records;
    }

    Set<Class<?>> enums() {
        return enums;
    }

    /** Sealed interfaces with the records that each permits. */
    Map<Class<?>, List<Class<?>>> sealed() {
        return sealed;
    }

    private void follow(Type type) {
        if (type instanceof ParameterizedType) {
            Arrays.stream(((ParameterizedType) type).getActualTypeArguments())
                    .forEach(this::follow);
            return;
        }
        Class<?> raw = Generics.raw(type);
        if (raw.isArray()) {
            follow(raw.getComponentType());
        } else if (isObject(raw)) {
            followObject(raw);
        } else if (raw.isRecord()) {
            followRecord(raw);
        } else if (raw.isEnum()) {
            enums.add(raw);
        } else if (isSealedOfRecords(raw) && !sealed.containsKey(raw)) {
            Set<Class<?>> permitted = new LinkedHashSet<>(); // one may be permitted in two ways
            permitted(raw, permitted);
            sealed.put(raw, List.copyOf(permitted));
            permitted.forEach(this::followRecord);
        }
    }

    private static void permitted(Class<?> type, Set<Class<?>> into) {
        for (Class<?> one : type.getPermittedSubclasses()) {
            if (one.isRecord()) {
                into.add(one);
            } else {
                permitted(one, into);
            }
        }
    }

    private void followObject(Class<?> type) {
        if (objects.containsKey(type)) {
            return;
        }
        if (type.getTypeParameters().length > 0) {
            mistakes.add(
                    type.getSimpleName(),
                    "has type parameters: let an interface with concrete arguments extend it, and"
                            + " mark that one @Persistent");
        }
        List<Property> properties = InterfaceReader.read(type, mistakes);
        objects.put(type, properties);
        properties.forEach(property -> follow(property.type()));
        for (Class<?> above : type.getInterfaces()) {
            follow(above);
        }
        if (type.isSealed()) {
            Arrays.stream(type.getPermittedSubclasses()).forEach(this::follow);
        }
    }

    private void followRecord(Class<?> type) {
        if (records.containsKey(type)) {
            return;
        }
        if (type.getTypeParameters().length > 0) {
            mistakes.add(
                    type.getSimpleName(),
                    "is a record with type parameters, which can't be stored");
        }
        List<Property> components = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            Named named = component.getAnnotation(Named.class);
            components.add(
                    new Property(
                            component.getName(),
                            component.getGenericType(),
                            component.getType(),
                            List.of(component.getAccessor()),
                            List.of(),
                            named == null ? List.of() : List.of(named.value()),
                            false,
                            null));
        }
        FormerNames.check(components, mistakes);
        records.put(type, components);
        components.forEach(component -> follow(component.type()));
    }
}
