package io.farheap.objects.type;

import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.type.TypeDescriptor.Kind;
import io.farheap.objects.value.EnumType;
import io.farheap.objects.value.FieldLayout;
import io.farheap.objects.value.FieldPlace;
import io.farheap.objects.value.FlatRecordType;
import io.farheap.objects.value.RecordImage;
import io.farheap.objects.value.RecordImage.RecordClass;
import io.farheap.objects.value.RecordType;
import io.farheap.objects.value.ValueType;
import io.farheap.objects.value.WidenedType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The part of {@link TypeMatching} for values: enums, records, sealed interfaces. */
final class RecordMatching {
    private static final Pattern FLAT = Pattern.compile("flat (.+)#([1-9][0-9]{0,8})");

    private final ProgramTypes program;
    private final Mistakes mistakes;
    private final TypeMatching matching;
    private final WorkingTable table;
    private final TypeSystem system;
    private final Map<Class<?>, ValueType<?>> declared = new HashMap<>();
    private final Map<Class<?>, Boolean> isFixed = new HashMap<>();
    private final Set<Class<?>> matched = new HashSet<>();
    private final Map<String, Class<?>> flatByName = new HashMap<>();

    RecordMatching(
            ProgramTypes program,
            Mistakes mistakes,
            TypeMatching matching,
            WorkingTable table,
            TypeSystem system) {
        this.program = program;
        this.mistakes = mistakes;
        this.matching = matching;
        this.table = table;
        this.system = system;
    }

    void matchAll() {
        program.enums().forEach(this::declared);
        program.records().keySet().forEach(this::matchRecord);
        program.sealed().forEach(this::matchSealed);
    }

    /** The value type of an enum, record or sealed interface; null for another class. */
    ValueType<?> declared(Class<?> type) {
        ValueType<?> known = declared.get(type);
        if (known != null) {
            return known;
        }
        ValueType<?> made = null;
        if (program.enums().contains(type)) {
            made = matchEnum(type);
        } else if (program.records().containsKey(type)) {
            if (isFixed(type)) {
                matchRecord(type);
                return declared.get(type);
            }
            made = new RecordType<>("record " + ProgramTypes.nameOf(type), type, system);
        } else if (program.sealed().containsKey(type)) {
            made = new RecordType<>("sealed " + ProgramTypes.nameOf(type), type, system);
        }
        declared.put(type, made);
        return made;
    }

    // ---- enums ----

    @SuppressWarnings({"unchecked", "rawtypes"})
    private ValueType<?> matchEnum(Class<?> type) {
        boolean keepsKind = matching.keepsKind(ProgramTypes.nameOf(type), Kind.ENUM);
        List<TypeDescriptor> versions =
                keepsKind ? table.versions(ProgramTypes.nameOf(type)) : List.of();
        List<String> names = new ArrayList<>();
        if (!versions.isEmpty()) {
            versions.get(versions.size() - 1).fields().forEach(field -> names.add(field.name()));
        }
        int before = names.size();
        for (Object constant : type.getEnumConstants()) {
            String name = ((Enum<?>) constant).name();
            if (!names.contains(name)) {
                names.add(name);
            }
        }
        if (keepsKind && (versions.isEmpty() || names.size() > before)) {
            List<Field> numbers = new ArrayList<>();
            for (String name : names) {
                numbers.add(new Field(name, "", numbers.size() + 1, 0, FieldPlace.NONE, false));
            }
            table.add(table.next(Kind.ENUM, type, List.of(), Short.BYTES, Short.BYTES, numbers));
        }
        return new EnumType(type, ProgramTypes.nameOf(type), names);
    }

    // ---- sealed interfaces ----

    /** Only for who reads the table: a value says itself which record it is. */
    private void matchSealed(Class<?> type, List<Class<?>> permitted) {
        if (!matching.keepsKind(ProgramTypes.nameOf(type), Kind.SEALED)) {
            return;
        }
        List<Field> names =
                permitted.stream()
                        .map(
                                one ->
                                        new Field(
                                                ProgramTypes.nameOf(one),
                                                "",
                                                0,
                                                0,
                                                FieldPlace.NONE,
                                                false))
                        .toList();
        TypeDescriptor candidate =
                table.next(Kind.SEALED, type, List.of(), Long.BYTES, Long.BYTES, names);
        if (table.versions(candidate.name()).stream().noneMatch(candidate::isSameAs)) {
            table.add(candidate);
        }
    }

    // ---- records ----

    private boolean isFixed(Class<?> record) {
        Boolean known = isFixed.putIfAbsent(record, false); // one that holds itself is not
        if (known != null) {
            return known;
        }
        boolean isSo =
                program.records().get(record).stream()
                        .map(Property::rawType)
                        .allMatch(
                                type ->
                                        program.records().containsKey(type)
                                                ? isFixed(type)
                                                : program.enums().contains(type)
                                                        || ProgramTypes.isObject(type)
                                                        || ValueTypes.isSimpleAndFixed(type));
        isFixed.put(record, isSo);
        return isSo;
    }

    private void matchRecord(Class<?> type) {
        if (!matched.add(type)) {
            return;
        }
        List<Property> components = program.records().get(type);
        List<FieldLayout.Field> fields = matching.fields(type, components);
        RecordClass record = RecordClasses.of(type, mistakes);
        if (fields == null || record == null) {
            return;
        }
        FieldLayout layout = FieldLayout.ofImage(fields);
        TypeDescriptor candidate =
                matching.candidate(
                        Kind.RECORD, type, List.of(), components, layout, layout.size(), false);
        List<ValueType<?>> types = TypeMatching.types(fields);
        TypeDescriptor current = matching.matched(candidate, components, types, false);
        if (current == null) {
            mistakes.refuse(type.getSimpleName());
            return;
        }
        for (TypeDescriptor version : table.versions(candidate.name())) {
            RecordImage image = image(record, version, components, types);
            system.add(image);
            if (version == current) {
                system.add(type, image);
            }
        }
        if (isFixed(type)) {
            flatByName.put(candidate.name(), type);
            declared.put(
                    type, new FlatRecordType<>(flatText(current), system.of(current.number())));
        }
    }

    private static String flatText(TypeDescriptor version) {
        return String.format("flat %s#%d", version.name(), version.version());
    }

    private RecordImage image(
            RecordClass record,
            TypeDescriptor version,
            List<Property> components,
            List<ValueType<?>> types) {
        List<FieldPlace> places = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            places.add(matching.bind(components.get(i), types.get(i), version, false).place());
        }
        return new RecordImage(
                record, version.number(), places, version.size(), version.alignment());
    }

    /** How a stored field is read as one of the program; null where it can't be. */
    ValueType<?> storedAs(String stored, ValueType<?> type) {
        if (stored.equals(type.text())) {
            return type;
        }
        Matcher flat = FLAT.matcher(stored);
        if (type instanceof FlatRecordType && flat.matches()) {
            TypeDescriptor version = table.version(flat.group(1), Integer.parseInt(flat.group(2)));
            boolean isOfSameRecord =
                    version != null && declared.get(flatByName.get(flat.group(1))) == type;
            return isOfSameRecord
                    ? new FlatRecordType<>(stored, system.of(version.number()))
                    : null;
        }
        return WidenedType.of(stored, type);
    }
}
