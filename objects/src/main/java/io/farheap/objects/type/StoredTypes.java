package io.farheap.objects.type;

import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import io.farheap.objects.value.ArrayType;
import io.farheap.objects.value.FieldPlace;
import io.farheap.objects.value.FlatRecordType;
import io.farheap.objects.value.RecordImage;
import io.farheap.objects.value.RecordType;
import io.farheap.objects.value.ReferenceType;
import io.farheap.objects.value.StoredEnumType;
import io.farheap.objects.value.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The types of a pool by its type table alone, without a class of the program: enough to follow
 * what objects own and refer to, to free it, and to show it. Records are maps by component, enums
 * names, references what the context makes of them. Thread-safe.
 */
public final class StoredTypes implements RecordType.Records {
    private static final Pattern FLAT = Pattern.compile("flat (.+)#([1-9][0-9]{0,8})");
    private static final Pattern COLLECTION = Pattern.compile("([a-z]+)<(.+)>");

    private final List<TypeDescriptor> table;
    private final HeapContext heap;
    private final Map<String, TypeDescriptor> versions = new HashMap<>();
    private final Map<String, ValueType<?>> types = new HashMap<>();
    private final Map<Integer, List<FieldPlace>> places = new HashMap<>();
    private final Map<Integer, RecordImage> records = new HashMap<>();
    private final Set<String> beingRead = new HashSet<>();

    public StoredTypes(List<TypeDescriptor> table, HeapContext heap) {
        this.table = table;
        this.heap = heap;
        table.forEach(type -> versions.put(type.versionedName(), type));
    }

    public List<TypeDescriptor> table() {
        return table;
    }

    /** The object type of an id; null where there is none. */
    public TypeDescriptor object(long typeId) {
        long index = typeId - TypeDescriptor.FIRST_ID;
        TypeDescriptor type = index < 0 || index >= table.size() ? null : table.get((int) index);
        return type != null && type.kind() == Kind.OBJECT ? type : null;
    }

    /** Where the fields of an object type or a record are, in the order of the table. */
    public synchronized List<FieldPlace> places(TypeDescriptor type) {
        List<FieldPlace> known = places.get(type.number());
        if (known != null) {
            return known;
        }
        List<FieldPlace> made = new ArrayList<>();
        for (Field field : type.fields()) {
            ValueType<?> value = of(field.type(), type);
            int size = type.kind() == Kind.OBJECT ? value.size() : value.imageSize();
            DescriptorLayout.require(
                    size == field.size(), type.id(), "field " + field.name() + " has another size");
            made.add(new FieldPlace(field.name(), value, field.offset(), field.nullBit()));
        }
        places.put(type.number(), made);
        return made;
    }

    private ValueType<?> of(String text, TypeDescriptor holder) {
        ValueType<?> known = types.get(text);
        if (known != null) {
            return known;
        }
        DescriptorLayout.require(
                beingRead.add(text) && beingRead.size() < 100,
                holder.id(),
                "its type " + text + " holds itself");
        ValueType<?> made = make(text, holder);
        beingRead.remove(text);
        DescriptorLayout.require(made != null, holder.id(), "it has the unknown type " + text);
        types.put(text, made);
        return made;
    }

    /** Null for a text that is none of a type. */
    private ValueType<?> make(String text, TypeDescriptor holder) {
        ValueType<?> simple = ValueTypes.simple(text);
        if (simple != null) {
            return simple;
        }
        if (text.endsWith("[]")) {
            return new ArrayType(Object.class, of(text.substring(0, text.length() - 2), holder));
        }
        int space = text.indexOf(' ');
        String name = text.substring(space + 1);
        switch (space < 0 ? "" : text.substring(0, space)) {
            case "ref":
                return new ReferenceType<>(Object.class, name, heap);
            case "record", "sealed":
                return new RecordType<>(text, Object.class, this);
            case "enum":
                TypeDescriptor newest = newest(name);
                return newest == null ? null : new StoredEnumType(name, names(newest));
            case "flat":
                return flat(text);
            default:
                return collection(text, holder);
        }
    }

    private ValueType<?> flat(String text) {
        Matcher flat = FLAT.matcher(text);
        if (!flat.matches()) {
            return null;
        }
        int version = Integer.parseInt(flat.group(2));
        return table.stream()
                .filter(type -> type.name().equals(flat.group(1)) && type.version() == version)
                .findFirst()
                .map(type -> new FlatRecordType<>(text, of(type.number())))
                .orElse(null);
    }

    private ValueType<?> collection(String text, TypeDescriptor holder) {
        CollectionKind plain = CollectionKind.of(text);
        if (plain != null) {
            return new CollectionField<>(plain.of(List.of(), null), text, heap);
        }
        Matcher collection = COLLECTION.matcher(text);
        CollectionKind kind = collection.matches() ? CollectionKind.of(collection.group(1)) : null;
        if (kind == null) {
            return null;
        }
        List<ValueType<?>> elements = new ArrayList<>();
        for (String element : collection.group(2).split(", ")) {
            elements.add(of(element, holder));
        }
        return elements.size() == kind.arguments()
                ? new CollectionField<>(kind.of(elements, null), text, heap)
                : null;
    }

    /** Whether objects of a type may stand where one of a name is expected. */
    public boolean isA(TypeDescriptor type, String name) {
        Set<String> found = new HashSet<>(Set.of(type.name()));
        boolean isLarger = true;
        while (isLarger && !found.contains(name)) {
            isLarger = false;
            for (TypeDescriptor one : table) {
                isLarger |= found.contains(one.name()) && found.addAll(one.superTypes());
            }
        }
        return found.contains(name);
    }

    private TypeDescriptor newest(String name) {
        return table.stream()
                .filter(type -> type.name().equals(name))
                .reduce((first, second) -> second)
                .orElse(null);
    }

    private static List<String> names(TypeDescriptor type) {
        return type.fields().stream().map(Field::name).toList();
    }

    @Override
    public synchronized RecordImage of(int number) {
        RecordImage known = records.get(number);
        if (known != null || number < 0 || number >= table.size()) {
            return known;
        }
        TypeDescriptor type = table.get(number);
        if (type.kind() != Kind.RECORD) {
            return null;
        }
        RecordImage made =
                new RecordImage(
                        StoredRecords.of(type.versionedName(), names(type)),
                        number,
                        places(type),
                        type.size(),
                        type.alignment());
        records.put(number, made);
        return made;
    }

    @Override
    public RecordImage ofValue(Object record) {
        Object name = record instanceof Map ? ((Map<?, ?>) record).get(StoredRecords.TYPE) : null;
        TypeDescriptor type = name instanceof String ? version((String) name) : null;
        return type == null ? null : of(type.number());
    }

    /** The version of a type by {@link TypeDescriptor#versionedName}; null for none. */
    public TypeDescriptor version(String versionedName) {
        return versions.get(versionedName);
    }
}
