package io.farheap.objects.type;

import io.farheap.base.FarheapException;
import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import io.farheap.objects.value.FieldLayout;
import io.farheap.objects.value.FieldPlace;
import io.farheap.objects.value.ValueType;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Brings the types of a program and the type table together: finds for each type the version that
 * the program has, adds a version where it has a new one, and refuses what can't follow.
 */
public final class TypeMatching {
    /** The largest object or record, in bytes. */
    private static final int SIZE_MAX = 1 << 20;

    private final ProgramTypes program;
    private final Mistakes mistakes = new Mistakes();
    private final List<String> refusals = new ArrayList<>();
    private final WorkingTable table;
    private final TypeSystem system;
    private final RecordMatching records;
    private final ValueTypes values;

    private TypeMatching(
            Collection<Class<?>> types,
            HeapContext heap,
            List<TypeDescriptor> stored,
            Consumer<TypeDescriptor> append) {
        this.program = new ProgramTypes(types, mistakes);
        this.table = new WorkingTable(stored, append);
        this.system = new TypeSystem(table.types());
        this.records = new RecordMatching(program, mistakes, this, table, system);
        this.values = new ValueTypes(heap, mistakes, records::declared);
    }

    /**
     * @param types of the program; what they lead to belongs to them
     * @param stored the type table
     * @param append stores a new descriptor behind them
     * @throws FarheapException WRONG_USE for mistakes in the program's types, all at once, and for
     *     types that have changed so that the pool's can't follow
     */
    public static TypeSystem match(
            Collection<Class<?>> types,
            HeapContext heap,
            List<TypeDescriptor> stored,
            Consumer<TypeDescriptor> append) {
        return new TypeMatching(types, heap, stored, append).match();
    }

    /** Whether an interface is an object type of that name in pools. */
    public static boolean isNamed(Class<?> type, String name) {
        return ProgramTypes.isObject(type) && ProgramTypes.nameOf(type).equals(name);
    }

    private TypeSystem match() {
        records.matchAll();
        checkNames();
        program.objects().forEach(this::matchObject);
        mistakes.throwIfAny("These types can't be stored as they are:");
        if (!refusals.isEmpty()) {
            throw FarheapException.wrongUse(
                    "%s%nGive what has changed another name, or use the program that wrote the"
                            + " pool. Nothing was changed.",
                    String.join("\n", refusals));
        }
        return system;
    }

    /** Two classes of one name would be versions of each other. */
    private void checkNames() {
        Map<String, Class<?>> byName = new HashMap<>();
        for (Class<?> type : program.all()) {
            Class<?> other = byName.putIfAbsent(ProgramTypes.nameOf(type), type);
            if (other != null && other != type) {
                mistakes.add(
                        type.getName(),
                        "and %s have one name in the pool, %s: give one of them another by"
                                + " @Persistent(name = ...)",
                        other.getName(),
                        ProgramTypes.nameOf(type));
            }
        }
    }

    private void matchObject(Class<?> type, List<Property> properties) {
        checkOpen(type, mistakes);
        List<FieldLayout.Field> fields = fields(type, properties);
        if (fields == null) {
            return;
        }
        FieldLayout layout = FieldLayout.ofObject(DescriptorCheck.FIELDS_AT, fields);
        int size =
                Math.max(DescriptorCheck.OBJECT_MIN, layout.size() + Long.BYTES - 1 & -Long.BYTES);
        TypeDescriptor candidate =
                candidate(Kind.OBJECT, type, superTypes(type), properties, layout, size, true);
        List<ValueType<?>> types = types(fields);
        TypeDescriptor current = matched(candidate, properties, types, true);
        if (current == null) {
            return;
        }
        ObjectType object = new ObjectType(type, candidate.name(), properties);
        for (TypeDescriptor version : table.versions(candidate.name())) {
            object.add(shape(object, version, properties, types));
        }
        object.setCurrent(object.shape(current.id()), unknownRequired(current));
        system.add(object);
    }

    static List<ValueType<?>> types(List<FieldLayout.Field> fields) {
        List<ValueType<?>> types = new ArrayList<>();
        fields.forEach(field -> types.add(field.type()));
        return types;
    }

    private Shape shape(
            ObjectType object,
            TypeDescriptor version,
            List<Property> properties,
            List<ValueType<?>> types) {
        FieldPlace[] places = new FieldPlace[properties.size()];
        boolean[] isExact = new boolean[places.length];
        for (int i = 0; i < places.length; i++) {
            FieldBinding binding = bind(properties.get(i), types.get(i), version, true);
            places[i] = binding.place();
            isExact[i] = binding.isExact();
        }
        return new Shape(object, version, places, isExact);
    }

    FieldBinding bind(
            Property property, ValueType<?> type, TypeDescriptor version, boolean isObject) {
        return FieldBinding.of(
                property,
                type,
                version,
                records::storedAs,
                isObject ? ValueType::size : ValueType::imageSize);
    }

    /** Null after a mistake. */
    List<FieldLayout.Field> fields(Class<?> type, List<Property> properties) {
        List<FieldLayout.Field> fields = new ArrayList<>();
        for (Property property : properties) {
            String place = Mistakes.name(property.getters().get(0));
            ValueType<?> value = values.ofField(property, place);
            boolean isCollection = value instanceof CollectionField;
            if (isCollection && type.isRecord()) {
                mistakes.add(
                        place, "is a collection in a record: put it into a @Persistent interface");
            }
            if (isCollection && !property.setters().isEmpty()) {
                mistakes.add(
                        property.setters().get(0),
                        "sets a collection, which belongs to its object and can't be replaced");
            }
            if (value != null) {
                fields.add(
                        new FieldLayout.Field(
                                property.name(), value, !property.rawType().isPrimitive()));
            }
        }
        return fields.size() == properties.size() ? fields : null;
    }

    TypeDescriptor candidate(
            Kind kind,
            Class<?> type,
            List<String> superTypes,
            List<Property> properties,
            FieldLayout layout,
            int size,
            boolean isObject) {
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < properties.size(); i++) {
            FieldPlace place = layout.places().get(i);
            fields.add(
                    new Field(
                            place.name(),
                            place.type().text(),
                            place.offset(),
                            isObject ? place.type().size() : place.type().imageSize(),
                            place.nullBit(),
                            properties.get(i).isRequired()));
        }
        if (size > SIZE_MAX) {
            mistakes.add(
                    type.getSimpleName(), "takes %d bytes, and %d are the limit", size, SIZE_MAX);
        }
        return table.next(kind, type, superTypes, size, layout.alignment(), fields);
    }

    /** Whether the pool has a name for no other kind of type; else it is refused. */
    boolean keepsKind(String name, Kind kind) {
        for (TypeDescriptor version : table.versions(name)) {
            if (version.kind() != kind) {
                refusals.add(
                        String.format(
                                "%s is a type of kind %s in the pool, and of kind %s in this"
                                        + " program.",
                                name, version.kind(), kind));
                return false;
            }
        }
        return true;
    }

    /** The version that the program has, added where it is new; null where it was refused. */
    TypeDescriptor matched(
            TypeDescriptor candidate,
            List<Property> properties,
            List<ValueType<?>> types,
            boolean isObject) {
        if (!keepsKind(candidate.name(), candidate.kind())) {
            return null;
        }
        List<TypeDescriptor> versions = table.versions(candidate.name());
        for (TypeDescriptor version : versions) {
            Map<String, String> reasons = new HashMap<>();
            Map<Integer, String> byOffset = new HashMap<>();
            for (int i = 0; i < types.size(); i++) {
                String name = properties.get(i).name();
                FieldBinding binding = bind(properties.get(i), types.get(i), version, isObject);
                if (binding.refusal() != null) {
                    reasons.put(name, binding.refusal());
                } else if (binding.place() != null) {
                    String other = byOffset.putIfAbsent(binding.place().offset(), name);
                    if (other != null) {
                        reasons.put(name, "it would be the same stored field as " + other);
                    }
                }
            }
            if (!reasons.isEmpty()) {
                refusals.add(TypeRefusal.of(version, candidate, reasons));
                return null;
            }
        }
        TypeDescriptor same = null;
        for (TypeDescriptor version : versions) {
            same = version.isSameAs(candidate) ? version : same;
        }
        if (!versions.isEmpty() && same != versions.getLast()) {
            String key = HashedKeys.of(table.types()).get(candidate.name());
            if (key != null) {
                refusals.add(
                        TypeRefusal.of(versions.getLast(), candidate, Map.of())
                                + String.format(
                                        "%n    It is in the keys of %s, which are found by hashes"
                                                + " of its fields as they are.",
                                        key));
                return null;
            }
        }
        if (same == null) {
            table.add(candidate);
            return candidate;
        }
        return same;
    }

    /** A required field of a later version that the program's lacks; null for none. */
    private String unknownRequired(TypeDescriptor current) {
        return table.versions(current.name()).stream()
                .filter(version -> version.version() > current.version())
                .flatMap(version -> version.fields().stream())
                .filter(field -> field.isRequired() && current.field(field.name()) == null)
                .map(Field::name)
                .findFirst()
                .orElse(null);
    }

    /** The nearest persistent ones, also where an interface that is none lies between. */
    private static List<String> superTypes(Class<?> type) {
        return Arrays.stream(type.getInterfaces())
                .flatMap(
                        above ->
                                ProgramTypes.isObject(above)
                                        ? Stream.of(ProgramTypes.nameOf(above))
                                        : superTypes(above).stream())
                .distinct()
                .toList();
    }

    /** Whether this module may look into a type, and make what implements it. */
    static MethodHandles.Lookup checkOpen(Class<?> type, Mistakes mistakes) {
        // A module looks into none that it does not read, open or not.
        TypeMatching.class.getModule().addReads(type.getModule());
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        } catch (IllegalAccessException e) {
            mistakes.add(
                    type.getSimpleName(),
                    "lies in a package that its module keeps closed: add \"opens %s to %s;\" to the"
                            + " module-info.java of %s",
                    type.getPackageName(),
                    TypeMatching.class.getModule().isNamed()
                            ? TypeMatching.class.getModule().getName()
                            : "io.farheap.objects",
                    type.getModule().getName());
            return null;
        }
    }
}
